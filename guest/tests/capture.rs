//! Capture: what is found in a person's words, what is filed, and what never
//! is.

mod common;

use common::{draft, found, machine, process};
use inkvault_guest::Error;
use inkvault_guest::memory::{Delivery, Source, Status};
use inkvault_guest::vault::{
    Candidate, CaptureRequest, Draft, SkipReason, extract, remember_intent,
};
use proptest::prelude::*;

fn candidates(text: &str) -> Vec<Candidate> {
    let request = CaptureRequest {
        user_text: text.into(),
        max_candidates: Some(100),
        ..CaptureRequest::default()
    };
    extract(&request, None)
}

fn rules(text: &str) -> Vec<String> {
    candidates(text)
        .into_iter()
        .map(|candidate| candidate.rule)
        .collect()
}

#[test]
fn each_rule_in_both_languages() {
    for (text, rule, kind) in [
        ("请记一下服务器在北京。", "explicit", "fact"),
        ("帮我记：我喜欢深色模式", "explicit", "preference"),
        ("Remember that the server is in Oslo.", "explicit", "fact"),
        ("我讨厌弹窗。", "preference", "preference"),
        ("别用 var 声明变量", "preference", "preference"),
        ("I don’t like popups.", "preference", "preference"),
        ("我们决定采用 pnpm。", "decision", "decision"),
        ("就用 Rust 了", "decision", "decision"),
        ("Let's go with Postgres.", "decision", "decision"),
        ("我叫小明。", "personal-fact", "fact"),
        ("我的时区是东八区。", "personal-fact", "fact"),
        ("我在上海一家公司工作。", "personal-fact", "fact"),
        ("I live in Oslo.", "personal-fact", "fact"),
        ("仓库约定使用四个空格。", "project-convention", "project"),
        ("Our convention is tabs.", "project-convention", "project"),
    ] {
        let found = candidates(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(
            (found[0].rule.as_str(), found[0].kind.as_str()),
            (rule, kind),
            "{text}"
        );
    }
}

#[test]
fn longer_words_and_turns_of_speech_are_no_hits() {
    for text in [
        "他做事特别用心。",
        "你肯定了解这个。",
        "A conventional approach works.",
        "请记者提问。",
        "这是决定性的一步。",
        "我的意思是再等等。",
        "I remember that day well.",
        "Do you remember that song?",
        "我叫你别走远",
        "这就用不着了",
        "我在调试这个工作流。",
        "我的程序总是崩溃。",
        "我的文件还是打不开。",
        "我不确定了。",
        "我们没有采用它。",
        "我还没有决定。",
        "成就用户的价值",
    ] {
        assert!(
            candidates(text).is_empty(),
            "{text}: {:?}",
            candidates(text)
        );
    }
}

#[test]
fn questions_count_only_where_they_state_something() {
    assert!(candidates("我喜欢什么颜色？").is_empty());
    assert!(candidates("What does this repo use?").is_empty());
    assert_eq!(rules("你能帮我记住服务器在北京吗？"), ["explicit"]);
    assert_eq!(rules("我们决定用 pnpm，好吗？"), ["decision"]);
}

#[test]
fn priority_then_place_and_each_text_once() {
    let text = "这个项目用 tabs。\n我喜欢茶。\n我喜欢茶。\n记住周五发版。\nWe decided to ship.";
    assert_eq!(
        rules(text),
        ["explicit", "preference", "decision", "project-convention"]
    );
    let request = CaptureRequest {
        user_text: text.into(),
        ..CaptureRequest::default()
    };
    assert_eq!(extract(&request, None).len(), 2);
    let sure = CaptureRequest {
        min_confidence: Some(0.8),
        max_candidates: Some(9),
        ..request
    };
    assert_eq!(extract(&sure, None).len(), 2);
}

#[test]
fn lengths_are_counted_in_characters() {
    assert_eq!(candidates(&format!("我喜欢{}", "茶".repeat(497))).len(), 1);
    assert!(candidates(&format!("我喜欢{}", "茶".repeat(498))).is_empty());
    assert!(candidates("记住。").is_empty());
    let long = candidates(&format!("记住{}", "字".repeat(200)));
    assert_eq!(long[0].title.chars().count(), 80);
    let late = format!("{}记住这件事。", "空。\n".repeat(10_000));
    assert!(
        candidates(&late).is_empty(),
        "only the first 20,000 characters are looked at"
    );
}

#[test]
fn zero_width_characters_and_blanks_hide_nothing() {
    let found = candidates("请\u{200b}记\u{feff}一下\u{3000}\u{3000}服务器在北京。");
    assert_eq!(found[0].body, "请记一下 服务器在北京。");
}

#[test]
fn strong_words_make_a_directive() {
    let delivery = |text: &str, triggers: Option<&[String]>| {
        let request = CaptureRequest {
            user_text: text.into(),
            ..CaptureRequest::default()
        };
        extract(&request, triggers)
            .into_iter()
            .next()
            .map(|candidate| candidate.delivery)
    };
    let text = "记住以后都用中文回答。";
    assert_eq!(delivery(text, None), Some(Delivery::Prompt));
    assert_eq!(
        delivery("Remember that from now on we use tabs.", None),
        Some(Delivery::Prompt)
    );
    assert_eq!(delivery("记住服务器在北京。", None), Some(Delivery::Recall));
    assert_eq!(
        delivery(text, Some(&[])),
        Some(Delivery::Recall),
        "an empty list turns it off"
    );
    let own = ["用中文".to_owned()];
    assert_eq!(
        delivery("请记一下用中文回答。", Some(&own)),
        Some(Delivery::Prompt)
    );
    assert_eq!(
        delivery("Remember that always wins.", Some(&own)),
        Some(Delivery::Recall)
    );

    assert_eq!(
        delivery("I always wondered why it fails.", None),
        Some(Delivery::Recall)
    );

    let machine = machine();
    let mut vault = process(&machine).vault;
    let request = CaptureRequest {
        user_text: text.into(),
        ..CaptureRequest::default()
    };
    vault
        .configure(r#"{"directiveTriggers": "garbage"}"#)
        .expect("configured");
    assert_eq!(
        vault.extract(&request)[0].delivery,
        Delivery::Prompt,
        "garbage falls to the defaults"
    );
    vault
        .configure(r#"{"directiveTriggers": []}"#)
        .expect("configured");
    assert_eq!(vault.extract(&request)[0].delivery, Delivery::Recall);
}

#[test]
fn intent_to_remember() {
    for text in [
        "请记住这个",
        "帮我记一下",
        "Please note that I moved",
        "REMEMBER THAT",
    ] {
        assert!(remember_intent(text), "{text}");
    }
    for text in ["", "我没记住密码", "I remember that", "footnote that"] {
        assert!(!remember_intent(text), "{text}");
    }
}

#[test]
fn candidates_are_filed_as_pending_and_known_ones_skipped() {
    let machine = machine();
    let mut process = process(&machine);
    let known = process
        .vault
        .write(&draft("我们决定采用 pnpm 管理依赖"))
        .expect("written")
        .memory;
    let before = machine.bytes(known.path.as_str());
    let request = |text: &str| CaptureRequest {
        user_text: text.into(),
        origin: Some("chat-7".into()),
        ..CaptureRequest::default()
    };
    let proposal = process
        .vault
        .propose(&request("我喜欢乌龙茶。我们决定采用 pnpm 管理依赖。"))
        .expect("proposed");
    assert_eq!((proposal.filed.len(), proposal.skipped.len()), (1, 1));
    let filed = &proposal.filed[0].memory.metadata;
    assert_eq!(
        (filed.status, filed.source, filed.origin.as_str()),
        (Status::Pending, Source::Capture, "chat-7")
    );
    assert_eq!(
        (filed.tags.join(" "), filed.confidence),
        ("preference".into(), 0.8)
    );
    assert_eq!(proposal.skipped[0].reason, SkipReason::Duplicate);
    assert_eq!(proposal.skipped[0].similar[0].id, known.metadata.id);
    let again = process
        .vault
        .propose(&request("我喜欢乌龙茶！"))
        .expect("proposed");
    assert_eq!(
        (again.filed.len(), again.skipped[0].reason),
        (0, SkipReason::Duplicate)
    );
    let near = process
        .vault
        .propose(&request("我们决定采用 pnpm 管理全部依赖。"))
        .expect("proposed");
    assert_eq!(
        (near.filed.len(), near.skipped[0].reason),
        (0, SkipReason::Similar)
    );
    let part = process
        .vault
        .propose(&request(
            "我喜欢乌龙茶，也喜欢绿茶、红茶、白茶、黑茶、花茶和普洱茶，还有咖啡。",
        ))
        .expect("proposed");
    assert_eq!(part.filed.len(), 1, "a much longer text is something else");
    assert_eq!(
        machine.bytes(known.path.as_str()),
        before,
        "no other memory is touched"
    );
    assert_eq!(found(&mut process.vault, "乌龙茶").len(), 2);
}

#[test]
fn credentials_are_never_stored() {
    let machine = machine();
    let mut process = process(&machine);
    let before = machine.files();
    let request = CaptureRequest {
        user_text: "记住数据库密码是 abc12345。".into(),
        ..CaptureRequest::default()
    };
    let proposal = process.vault.propose(&request).expect("proposed");
    assert_eq!(
        (proposal.filed.len(), proposal.skipped[0].reason),
        (0, SkipReason::Secret)
    );
    let secret = draft("password = hunter22");
    assert!(matches!(
        process.vault.write(&secret),
        Err(Error::Refused(_))
    ));
    assert_eq!(machine.files(), before);
    process
        .vault
        .write(&Draft {
            allow_secrets: true,
            ..secret
        })
        .expect("written on request");
}

proptest! {
    #[test]
    fn any_text_is_looked_through(text in any::<String>(), triggers in prop::option::of(any::<Vec<String>>())) {
        let request = CaptureRequest { user_text: text, max_candidates: Some(1_000), ..CaptureRequest::default() };
        for candidate in extract(&request, triggers.as_deref()) {
            prop_assert!(!candidate.body.is_empty() && candidate.body.chars().count() <= 500);
            prop_assert!(candidate.title.chars().count() <= 80);
        }
    }
}
