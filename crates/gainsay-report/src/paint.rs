//! Colours of a terminal, or none. Nothing here looks at the environment: the caller decides.

/// Whether text carries colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Bare text.
    Plain,
    /// ANSI colours.
    Colour,
}

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The verb of a line about something that went well.
    Good,
    /// The verb of a line about a fault, or the word `error`.
    Bad,
    /// Something to take note of.
    Notable,
    /// Names and headings.
    Strong,
    /// What can be passed over.
    Faint,
}

impl Paint {
    /// The text in its colour.
    pub fn tone(self, tone: Tone, text: &str) -> String {
        if self == Paint::Plain || text.is_empty() {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => "1;32",
            Tone::Bad => "1;31",
            Tone::Notable => "1;33",
            Tone::Strong => "1",
            Tone::Faint => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// A line in cargo's style: a right-aligned verb, then what it is about.
    pub fn line(self, tone: Tone, verb: &str, about: &str) -> String {
        // Padding is put outside of the colour codes, which have no width.
        let pad = " ".repeat(12usize.saturating_sub(verb.chars().count()));
        format!("{pad}{} {about}\n", self.tone(tone, verb))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_end_in_the_same_column_with_and_without_colour() {
        assert_eq!(Paint::Plain.line(Tone::Good, "Exploring", "x"), "   Exploring x\n");
        assert_eq!(
            Paint::Colour.line(Tone::Good, "Exploring", "x"),
            "   \u{1b}[1;32mExploring\u{1b}[0m x\n"
        );
    }
}
