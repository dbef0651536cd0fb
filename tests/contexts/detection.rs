//! Context rules, for messages of any kind.

use proptest::prelude::*;
use toolwrit::{ContextRule, DetectedContext, Previous, extract_contexts};

fn tickets() -> ContextRule {
    let rule = ContextRule::new("tickets").keyword("ticket", 1.0).unwrap();
    rule.pattern(r"\b[A-Z]{2,10}-\d+\b", 2.0).unwrap()
}

fn detect(rule: &ContextRule, message: &str) -> Option<DetectedContext> {
    extract_contexts([rule], message, &Previous::default()).pop()
}

fn confidence(rule: &ContextRule, message: &str) -> f64 {
    detect(rule, message).map_or(0.0, |found| found.confidence)
}

#[test]
fn the_weights_of_matches_add_up_and_are_returned() {
    let found = detect(&tickets(), "Close the Tickets ABC-123 and ABC-124!").unwrap();
    assert_eq!(found.matched, ["ticket", "ABC-123"]);
    assert!((found.confidence - 0.75).abs() < 1e-9, "{found:?}");
    assert_eq!(detect(&tickets(), "ticketing ABC-123").unwrap().matched, ["ticket", "ABC-123"]);
    assert_eq!(detect(&tickets(), "abc-123 is a wicket"), None);
}

#[test]
fn a_phrase_matches_only_adjacent_words() {
    let rule = ContextRule::new("c").keyword("note down", 1.0).unwrap();
    for said in ["note down: milk", "Noted DOWN", "note it down", "(note)\n down"] {
        assert!(detect(&rule, said).is_some(), "{said}");
    }
    for not_said in ["down with the note", "note what went down", "note", "notedown"] {
        assert_eq!(detect(&rule, not_said), None, "{not_said}");
    }
    // A phrase of stop words only is still a phrase.
    let rule = ContextRule::new("c").keyword("to do", 1.0).unwrap();
    assert!(detect(&rule, "my To-Do list").is_some());
    assert_eq!(detect(&rule, "do what you want to"), None);
    // In a phrase they must match, too.
    let rule = ContextRule::new("c").keyword("this note", 1.0).unwrap();
    assert!(detect(&rule, "rename This Note").is_some());
    for not_said in ["rename the note", "this is a note", "this"] {
        assert_eq!(detect(&rule, not_said), None, "{not_said}");
    }
}

#[test]
fn a_context_needs_its_threshold() {
    let rule = |threshold| tickets().keyword("issue", 1.0).unwrap().threshold(threshold).unwrap();
    assert_eq!(detect(&rule(0.67), "a ticket"), None);
    assert!(detect(&rule(0.67), "a ticket, an issue").is_some());
    assert_eq!(detect(&rule(0.68), "a ticket, an issue"), None);
    for threshold in [0.0, -1.0, 1.1, f64::NAN, f64::INFINITY] {
        assert!(tickets().threshold(threshold).is_err(), "{threshold}");
    }
}

#[test]
fn the_most_confident_comes_first_and_ties_keep_their_order() {
    let rule =
        |name: &str, word: &str, weight| ContextRule::new(name).keyword(word, weight).unwrap();
    let rules = [rule("a", "alpha", 1.0), rule("b", "beta", 3.0), rule("c", "gamma", 1.0)];
    let found = extract_contexts(&rules, "gamma beta alpha", &Previous::default());
    let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["b", "a", "c"]);
}

#[test]
fn previous_contexts_count_half() {
    let rules = [tickets()];
    let mut found = extract_contexts(&rules, "ticket ABC-1", &Previous::default());
    let mut course = Vec::new();
    while !found.is_empty() {
        course.push(found[0].confidence);
        found = extract_contexts(&rules, "and that one?", &found.iter().collect());
        assert!(found.iter().all(|found| found.matched.is_empty()), "{found:?}");
    }
    assert_eq!(course, [0.75, 0.5]);
    // In the end, any confidence falls below the threshold.
    let sure: Previous =
        [("tickets".to_owned(), 1.0), ("other".to_owned(), 1.0)].into_iter().collect();
    let found = extract_contexts(&rules, "and that one?", &sure);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].confidence - 0.5).abs() < 1e-9, "{found:?}");
}

#[test]
fn long_matches_are_cut() {
    let rule = ContextRule::new("c").pattern("(?s).+", 1.0).unwrap();
    let found = detect(&rule, &"é".repeat(5000)).unwrap();
    assert_eq!(found.matched, ["é".repeat(80)]);
}

#[test]
fn invalid_rules_are_refused() {
    assert!(ContextRule::new("c").keyword("", 1.0).is_err());
    assert!(ContextRule::new("c").keyword(" .-! ", 1.0).is_err());
    assert!(ContextRule::new("c").pattern("(?=x)", 1.0).is_err());
    for (text, is_right) in [
        ("a:0.5,b:1", true),
        ("", true),
        ("a", false),
        ("a:", false),
        ("a:1.5", false),
        ("a:nan", false),
    ] {
        assert_eq!(text.parse::<Previous>().is_ok(), is_right, "{text}");
    }
}

fn rules() -> impl Strategy<Value = Vec<ContextRule>> {
    let keyword = ("[a-c]{1,2}( [a-c]{1,2})?", 0.01_f64..4.0);
    let rule = (prop::collection::vec(keyword, 1..4), 0.05_f64..1.0).prop_map(|(keywords, at)| {
        let rule = ContextRule::new("c").threshold(at).unwrap();
        let add = |rule: ContextRule, (word, weight): (String, f64)| rule.keyword(&word, weight);
        keywords.into_iter().try_fold(rule, add).unwrap().pattern(r"a+\d", 1.0).unwrap()
    });
    prop::collection::vec(rule, 1..4)
}

fn message() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "([a-c]{1,2}[0-9 ,]{1,2}){0,12}"]
}

proptest! {
    #[test]
    fn detection_is_deterministic_and_bounded(
        rules in rules(), message in message(), before in 0.0_f64..=1.0,
    ) {
        let previous: Previous = [("c".to_owned(), before)].into_iter().collect();
        let found = extract_contexts(&rules, &message, &previous);
        prop_assert_eq!(&found, &extract_contexts(&rules, &message, &previous));
        for pair in found.windows(2) {
            prop_assert!(pair[0].confidence >= pair[1].confidence);
        }
        for context in &found {
            prop_assert!(context.confidence > 0.0 && context.confidence <= 1.0, "{:?}", context);
        }
    }

    #[test]
    fn more_text_never_lowers_the_confidence(
        rules in rules(), message in message(), more in "[a-c]{1,2}( [a-c]{1,2}){0,3}",
    ) {
        for rule in &rules {
            let before = confidence(rule, &message);
            for longer in [format!("{message} {more}"), format!("{more} {message}")] {
                prop_assert!(confidence(rule, &longer) >= before, "{:?} {:?}", message, longer);
            }
        }
    }

    #[test]
    fn a_keyword_is_found_anywhere_in_a_message(
        word in any::<String>(), before in message(), after in message(),
    ) {
        let rule = ContextRule::new("c").keyword(&word, 1.0);
        prop_assert_eq!(rule.is_ok(), word.contains(char::is_alphanumeric));
        if let Ok(rule) = rule {
            let found = detect(&rule, &format!("{before} {word} {after}"));
            prop_assert_eq!(found.map(|found| found.matched), Some(vec![word]));
        }
    }

    #[test]
    fn weights_are_finite_and_above_zero(weight in any::<f64>()) {
        let fits = weight.is_finite() && weight > 0.0;
        prop_assert_eq!(ContextRule::new("c").keyword("x", weight).is_ok(), fits);
        prop_assert_eq!(ContextRule::new("c").pattern("x", weight).is_ok(), fits);
        if let Ok(rule) = ContextRule::new("c").keyword("x", weight) {
            let rule = rule.keyword("x", f64::MAX).unwrap().pattern("x", f64::MAX).unwrap();
            prop_assert!((confidence(&rule, "x") - 1.0).abs() < f64::EPSILON);
        }
    }
}
