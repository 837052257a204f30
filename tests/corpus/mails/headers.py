"""Header blocks that programs get wrong."""

from tests.corpus.mails.wire import SENDER, WORDS, Odd, Reads, mail

LONG = "x" * 20_000


def _field(name: str, *fields: bytes | str, reads: Reads = "words", drop: tuple[str, ...] = ()) -> Odd:
    return Odd(name, mail(name, WORDS, *fields, drop=drop), reads)


IDS = [
    _field("id-missing", drop=("Message-ID",)),
    _field("id-empty", "Message-ID:"),
    _field("id-empty-brackets", "Message-ID: <>"),
    _field("id-open-bracket", "Message-ID: <"),
    _field("id-exchange", "Message-ID: <[0f1e2d]@mail.example>"),
    _field("id-exchange-whole", "Message-ID: <[0f1e2d@mail.example]>"),
    _field("id-without-brackets", "Message-ID: plain@v.example"),
    _field("id-twice", "Message-ID: <first@v.example>", "Message-ID: <second@v.example>"),
    _field("id-8bit", b"Message-ID: <gr\xfc\xdfe@v.example>"),
    _field("id-nul", b"Message-ID: <a\x00b@v.example>"),
    _field("id-long", f"Message-ID: <{LONG}@v.example>"),
    _field("id-with-spaces", "Message-ID: <a b@v.example>"),
    _field("id-folded", "Message-ID:\n <folded@v.example>"),
    _field("id-encoded-word", "Message-ID: =?utf-8?q?<a@v.example>?="),
    _field("id-in-comment", "Message-ID: (<no@v.example>) <yes@v.example>"),
    _field("id-half", "Message-ID: <@v.example>"),
    _field("id-no-domain", "Message-ID: <only-left>"),
]
FROMS = [
    _field("from-missing", drop=("From",)),
    _field("from-empty", "From:"),
    _field("from-twice", f"From: {SENDER}", "From: ceo@outside.example"),
    _field("from-group", "From: undisclosed:;"),
    _field("from-two", f"From: {SENDER}, ceo@outside.example"),
    _field("from-semicolon", f"From: {SENDER}; ceo@outside.example"),
    _field("from-unclosed", f"From: Vendor <{SENDER}"),
    _field("from-open-quote", f'From: "Vendor <{SENDER}>'),
    _field("from-route", f"From: <@relay.example:{SENDER}>"),
    _field("from-8bit", b"From: M\xfcller <ap@v.example>"),
    _field("from-encoded-address", f"From: =?utf-8?q?ceo=40outside.example?= <{SENDER}>"),
    _field("from-name-is-address", f'From: "ceo@outside.example" <{SENDER}>'),
    _field("from-comments", "From: " + "(" * 3_000 + SENDER),
    _field("from-nul", b"From: ap\x00@v.example"),
    _field("from-long", f"From: {LONG} <{SENDER}>"),
    _field("from-idn", "From: Vendor <ap@bücher.example>"),
    _field("from-trailing-dot", "From: ap@v.example."),
    _field("sender-only", f"Sender: {SENDER}", drop=("From",)),
]
RECIPIENTS = [
    _field("to-missing", drop=("To",)),
    _field("to-open-quote", 'To: "'),
    _field("to-comment-colon", "To: (c):"),
    _field("cc-group-in-comment", "Cc: (x): a@b.example;"),
    _field("cc-trailing-comma", "Cc: a@b.example,"),
    _field("to-three-thousand", "To: " + ", ".join(f"p{number}@b.example" for number in range(3_000))),
    _field("to-newline", "To: a@b.example,\n\tb@b.example"),
    _field("bcc-shown", "Bcc: hidden@b.example"),
    _field("reply-to-stranger", "Reply-To: ceo@outside.example"),
]
SUBJECTS = [
    _field("subject-missing", drop=("Subject",)),
    _field("subject-empty", "Subject:"),
    _field("subject-twice", "Subject: one", "Subject: two"),
    _field("subject-latin1", b"Subject: Gr\xfc\xdfe"),
    _field("subject-utf8", "Subject: Grüße"),
    _field("subject-not-utf8", b"Subject: \xff\xfe\x80"),
    _field("subject-word-broken", "Subject: =?utf-8?b?broken?="),
    _field("subject-word-open", "Subject: =?utf-8?q?open"),
    _field("subject-word-charset", "Subject: =?x-unknown?q?hello?="),
    _field("subject-word-method", "Subject: =?utf-8?x?hello?="),
    _field("subject-word-split", "Subject: =?utf-8?b?w7w=?= =?utf-8?b?w7w=?="),
    _field("subject-word-half-character", "Subject: =?utf-8?q?=C3?= =?utf-8?q?=BC?="),
    _field("subject-word-surrogate", "Subject: =?utf-16-le?b?ANg=?="),
    _field("subject-word-null", "Subject: =?utf-8?q?a=00b?="),
    _field("subject-word-newline", "Subject: =?utf-8?q?a=0D=0ABcc:_x@b.example?="),
    _field("subject-quotes", 'Subject: say "hi"'),
    _field("subject-backslash", "Subject: a\\ b \\"),
    _field("subject-long", f"Subject: {LONG}"),
    _field("subject-nul", b"Subject: a\x00b"),
    _field("subject-bare-cr", b"Subject: a\rX-Injected: yes"),
    _field("subject-empty-fold", b"Subject: a\r\n \r\n b"),
    _field("subject-two-tokens", "Subject: [AP BCDFGHJK] [AP 23456789]"),
    _field("subject-escape", b"Subject: \x1b[2J\x1b]0;x\x07"),
    _field("subject-bidi", "Subject: invoice \u202e0001"),
]
DATES = [
    _field("date-missing", drop=("Date",)),
    _field("date-nonsense", "Date: the day after"),
    _field("date-far", "Date: Mon, 4 May 99999 09:30:00 +9999"),
    _field("date-twice", "Date: Mon, 4 May 2026 09:30:00 +0000", "Date: Tue, 5 May 2026 09:30:00 +0000"),
    _field("date-negative", "Date: Mon, -4 May -2026 -09:30:00 -0000"),
    _field("date-8bit", b"Date: Lun, 4 F\xe9v 2026"),
]
THREADS = [
    _field(
        "references-itself", "References: <references-itself@v.example>", "In-Reply-To: <references-itself@v.example>"
    ),
    _field("references-cycle-one", "In-Reply-To: <references-cycle-two@v.example>"),
    _field("references-cycle-two", "In-Reply-To: <references-cycle-one@v.example>"),
    _field(
        "references-ten-thousand", "References: " + "\n ".join(f"<r{number}@v.example>" for number in range(10_000))
    ),
    _field("references-broken", "References: <[a@b]> <> <c@"),
    _field("references-commas", "References: <a@b.example>,<c@d.example>"),
    _field("in-reply-to-empty", "In-Reply-To:"),
    _field("in-reply-to-words", 'In-Reply-To: Your message of "Mon, 4 May"'),
    _field("in-reply-to-two", "In-Reply-To: <a@b.example> <c@d.example>"),
    _field("in-reply-to-twice", "In-Reply-To: <a@b.example>", "In-Reply-To: <c@d.example>"),
    _field("in-reply-to-8bit", b"In-Reply-To: <\xe9@b.example>"),
    _field("thread-index", "Thread-Index: AdlBcmY5AAAA", "Thread-Topic: Invoice query"),
]
BLOCKS = [
    _field("field-without-colon", "this line is no field"),
    _field("field-space-before-colon", "X-Odd : yes"),
    _field("field-name-8bit", b"X-\xe9: yes"),
    _field("field-name-empty", ": yes"),
    _field("field-name-long", f"{LONG}: yes"),
    _field("field-of-200k", "X-Long: " + "a@b, " * 40_000),
    _field("fields-five-thousand", *[f"X-{number}: yes" for number in range(5_000)]),
    _field("field-folded-ten-thousand", "X-Fold: a" + "\n b" * 10_000),
    _field("field-tab-only", b"X-Tab:\r\n\t"),
    _field("field-nul-lines", b"X-Nul: \x00\x00"),
    _field("hops-ninety", *["Received: from a.example by b.example; Mon, 4 May 2026 09:30:00 +0000"] * 90),
    _field("return-path-forged", "Return-Path: <ceo@outside.example>", "Delivered-To: someone@b.example"),
    _field("resent", "Resent-From: a@b.example", "Resent-Date: never", "Resent-Message-ID: <>"),
    _field("mime-version-odd", "MIME-Version: 1.0 (made by hand); 2"),
    _field("content-length-wrong", "Content-Length: 999999999"),
    _field("disposition-broken", "Content-Disposition: ; filename="),
    _field("suppress", "X-Auto-Response-Suppress: All"),
    _field("priority", "X-Priority: 1", "Importance: high"),
    Odd("block-begins-with-space", mail("block-begins-with-space", first=b" continued\r\n")),
    Odd("block-mbox-line", mail("block-mbox-line", first=b"From ap@v.example Mon May  4 09:30:00 2026\r\n")),
    Odd("block-lf-only", mail("block-lf-only").replace(b"\r\n", b"\n")),
    Odd("block-cr-only", b"Subject: a\rFrom: b@v.example\r\r" + WORDS.encode(), "words"),
    Odd("block-without-end", b"From: ap@v.example\r\nSubject: no body", "nothing"),
    Odd("block-is-missing", b"\r\n" + WORDS.encode() + b"\r\n"),
    Odd("block-utf16", "From: ap@v.example\r\nSubject: wide\r\n\r\n".encode("utf-16") + WORDS.encode()),
    Odd("block-bom", b"\xef\xbb\xbf" + mail("block-bom")),
]
HEADERS = [*IDS, *FROMS, *RECIPIENTS, *SUBJECTS, *DATES, *THREADS, *BLOCKS]
