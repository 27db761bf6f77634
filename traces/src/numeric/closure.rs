//! What follows from difference bounds: `x - y <= c` and `y - z <= d` give `x - z <= c + d`.
//!
//! Bounds of a single column are differences to a column that is always zero.

/// Difference bounds between nodes, closed under addition of paths.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    nodes: usize,
    /// The least known `c` of `row - column <= c`.
    bounds: Vec<Option<i128>>,
}

impl Closure {
    /// Nothing is known of so many nodes.
    pub(crate) fn new(nodes: usize) -> Closure {
        let mut closure = Closure { nodes, bounds: vec![None; nodes * nodes] };
        for node in 0..nodes {
            closure.bounds[node * nodes + node] = Some(0);
        }
        closure
    }

    /// The least `c` for which `x - y <= c` follows.
    pub(crate) fn bound(&self, x: usize, y: usize) -> Option<i128> {
        self.bounds[x * self.nodes + y]
    }

    /// Whether `x - y <= c` follows.
    pub(crate) fn implies(&self, x: usize, y: usize, c: i128) -> bool {
        self.bound(x, y).is_some_and(|known| known <= c)
    }

    /// Adds `x - y <= c` and all that follows.
    pub(crate) fn add(&mut self, x: usize, y: usize, c: i128) {
        if self.implies(x, y, c) {
            return;
        }
        for from in 0..self.nodes {
            let Some(first) = self.bound(from, x) else { continue };
            for to in 0..self.nodes {
                let Some(last) = self.bound(y, to) else { continue };
                let sum = first + c + last;
                if !self.implies(from, to, sum) {
                    self.bounds[from * self.nodes + to] = Some(sum);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_add_up() {
        let mut closure = Closure::new(4);
        closure.add(0, 1, -1);
        closure.add(1, 2, 0);
        closure.add(2, 3, 5);
        assert_eq!(closure.bound(0, 3), Some(4));
        assert!(closure.implies(0, 2, -1) && !closure.implies(0, 2, -2));
        assert_eq!(closure.bound(3, 0), None);
    }
}
