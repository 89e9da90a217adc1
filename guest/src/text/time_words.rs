//! Whether a text says when something was: words for days and spans of time,
//! months, weekdays, years and written dates.

/// Words that tell a time by themselves.
const WORDS: [&str; 38] = [
    "yesterday",
    "today",
    "tomorrow",
    "tonight",
    "ago",
    "recently",
    "lately",
    "week",
    "weeks",
    "weekend",
    "month",
    "months",
    "year",
    "years",
    "day",
    "days",
    "morning",
    "evening",
    "night",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "since",
    "summer",
];

/// Chinese words that do.
const CHINESE: [&str; 16] = [
    "昨天",
    "今天",
    "明天",
    "前天",
    "后天",
    "上周",
    "下周",
    "本周",
    "上个月",
    "下个月",
    "去年",
    "今年",
    "明年",
    "星期",
    "周末",
    "年前",
];

/// Whether a text says when something was.
pub fn tells_time(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).any(is_time_word)
        || (!text.is_ascii() && CHINESE.iter().any(|word| text.contains(word)))
}

fn is_time_word(word: &str) -> bool {
    if word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return matches!(word.as_bytes()[..2], [b'1', b'9'] | [b'2', b'0']);
    }
    (3..=9).contains(&word.len()) && WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_words_and_numbers() {
        for text in [
            "I went there yesterday.",
            "Two weeks ago!",
            "in 2022",
            "See you Friday",
            "昨天去了公园",
        ] {
            assert!(tells_time(text), "{text}");
        }
        for text in ["", "I like it", "3000 of them", "公园很大", "the agony"] {
            assert!(!tells_time(text), "{text}");
        }
    }
}
