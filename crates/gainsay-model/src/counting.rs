//! Numbers for people: in groups of three digits, with a noun that agrees.

/// Returns a number and its noun.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(count))
}

/// Returns a number in groups of three digits.
pub fn thousands(number: u64) -> String {
    group_digits(&number.to_string())
}

/// Puts a comma between groups of three digits.
pub fn group_digits(digits: &str) -> String {
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
