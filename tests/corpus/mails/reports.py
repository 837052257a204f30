"""What mail servers and programs send of their own accord, well made and badly."""

from tests.corpus.mails.wire import Odd, mail, multi, part

LETTER = "Message-ID: <out-1@deskworld.example>\nSubject: Invoice\n\nWas it agreed?"
FIELDS = "Reporting-MTA: dns; mx.v.example\n\nFinal-Recipient: rfc822; gone@v.example\nAction: failed\nStatus: 5.1.1"
PROSE = part("text/plain", "Your message could not be delivered. New contact: accounts@outside.example")
REPORT = 'report; report-type="delivery-status"'
DAEMON = ("From: Mail Delivery System <MAILER-DAEMON@v.example>", "Subject: Undelivered Mail Returned to Sender")


def _dsn(name: str, *bodies: bytes | str) -> Odd:
    return Odd(name, multi(name, REPORT, PROSE, *bodies, fields=DAEMON), "nothing", "bounce")


def _auto(name: str, *fields: str, body: str = "I am away until Monday.") -> Odd:
    return Odd(name, mail(name, body, *fields), "nothing", "auto-reply")


STATUS = part("message/delivery-status", FIELDS)
REPORTS = [
    _dsn("dsn-failed", STATUS, part("message/rfc822", LETTER)),
    _dsn("dsn-headers-only", STATUS, part("text/rfc822-headers", LETTER)),
    _dsn(
        "dsn-delayed",
        part("message/delivery-status", FIELDS.replace("failed", "delayed")),
        part("message/rfc822", LETTER),
    ),
    _dsn("dsn-delivered", part("message/delivery-status", FIELDS.replace("failed", "delivered"))),
    _dsn("dsn-without-original", STATUS),
    _dsn("dsn-without-status", part("message/rfc822", LETTER)),
    _dsn("dsn-prose-only"),
    _dsn("dsn-status-empty", part("message/delivery-status", "")),
    _dsn("dsn-status-noise", part("message/delivery-status", "\x00\x01 nothing: like\n\n\n\nit")),
    _dsn(
        "dsn-status-base64",
        part("message/delivery-status", "QWN0aW9uOiBmYWlsZWQ=", "Content-Transfer-Encoding: base64"),
    ),
    _dsn("dsn-status-as-text", part("text/plain", FIELDS)),
    _dsn("dsn-no-recipient", part("message/delivery-status", "Reporting-MTA: dns; mx\n\nAction: failed")),
    _dsn("dsn-odd-action", part("message/delivery-status", FIELDS.replace("failed", "approved"))),
    _dsn(
        "dsn-a-thousand",
        part(
            "message/delivery-status",
            "\n\n".join(
                f"Final-Recipient: rfc822; p{number}@v.example\nAction: failed\nStatus: 5.1.1"
                for number in range(1_000)
            ),
        ),
    ),
    _dsn("dsn-global", part("message/global-delivery-status", FIELDS), part("message/global-headers", LETTER)),
    _dsn("dsn-of-a-dsn", STATUS, part("message/rfc822", multi("inner", REPORT, PROSE, STATUS))),
    _dsn("dsn-original-8bit", STATUS, part("message/rfc822", b"Message-ID: <\xff@deskworld.example>\r\n\r\nx")),
    _dsn("dsn-original-huge-id", STATUS, part("text/rfc822-headers", f"Message-ID: <{'x' * 50_000}>")),
    Odd(
        "bounce-exim",
        mail("bounce-exim", f"Sorry.\n\n{LETTER}", *DAEMON, "X-Failed-Recipients: gone@v.example"),
        "nothing",
        "bounce",
    ),
    Odd(
        "bounce-qmail",
        mail(
            "bounce-qmail",
            f"Hi. This is the qmail-send program.\n<gone@v.example>:\nno mailbox\n\n--- Below this line\n\n{LETTER}",
            DAEMON[0],
            "Subject: failure notice",
        ),
        "nothing",
        "bounce",
    ),
    Odd(
        "bounce-exchange",
        multi(
            "bounce-exchange",
            "mixed",
            part("text/html", "<p>Delivery has failed to these recipients</p>"),
            part("message/rfc822", LETTER),
            fields=("From: postmaster@v.example", "Subject: Undeliverable: Invoice"),
        ),
        "nothing",
        "bounce",
    ),
    Odd(
        "receipt",
        multi("receipt", 'report; report-type="disposition-notification"', part("text/plain", "read")),
        "nothing",
        "auto-reply",
    ),
    Odd(
        "complaint",
        multi("complaint", 'report; report-type="feedback-report"', part("text/plain", "abuse")),
        "nothing",
        "auto-reply",
    ),
    Odd(
        "report-without-type",
        multi("report-without-type", "report", part("text/plain", "something happened")),
        "nothing",
        "auto-reply",
    ),
    _auto("auto-submitted", "Auto-Submitted: auto-replied"),
    _auto("auto-generated", "Auto-Submitted: auto-generated (by a rule)"),
    _auto("auto-notified", "Auto-Submitted: auto-notified; owner-email=x@v.example"),
    _auto("auto-x-autoreply", "X-Autoreply: yes"),
    _auto("auto-precedence", "Precedence: bulk"),
    _auto("auto-precedence-odd", "Precedence: AUTO_REPLY"),
    _auto("auto-list", "List-Id: <news.v.example>"),
    _auto("auto-unsubscribe", "List-Unsubscribe: <https://v.example/u>"),
    _auto("auto-by-subject", "Subject: Automatic reply: Invoice"),
    _auto("auto-by-subject-german", "Subject: Abwesenheitsnotiz: Rechnung"),
    _auto("auto-ticket", "Subject: Ticket Received - 286614 - [#117904] Invoice"),
    _auto("auto-by-words", body="Your request has been received and logged under 286614."),
    _auto("auto-approved-for-processing", body="Your request has been approved for processing."),
]
