"""The mail server through a restart, and under TLS."""

import imaplib
import smtplib
import ssl

from tests.compose.conftest import Company, run

from deskworld_kit.ids import new_id

LOOPBACK = "127.0.0.1"
VENDOR = "ap@v-1.vendors.deskworld.example"


def kept(company: Company, subject: str) -> tuple[list[bytes], bytes]:
    """UIDs with that subject, and the mailbox's UIDVALIDITY."""
    with imaplib.IMAP4(LOOPBACK, company.ports["IMAP"], timeout=10) as box:
        box.login("counterparties", "loopback-counterparty-mailbox")
        box.select("INBOX", readonly=True)
        (validity,) = box.response("UIDVALIDITY")[1]
        (found,) = box.uid("search", "HEADER", "Subject", subject)[1]
    return found.split(), validity


def test_mail_outlives_its_server(company: Company) -> None:
    subject = new_id()
    with smtplib.SMTP(LOOPBACK, company.ports["SMTP"], timeout=10) as door:
        door.sendmail("ap@deskworld.example", [VENDOR], f"Subject: {subject}\r\n\r\nhello\r\n")
    before = kept(company, subject)
    assert len(before[0]) == 1
    run("docker", "kill", "-s", "KILL", f"{company.project}-mail-1")
    company.compose("up", "-d", "--wait", "mail")
    assert kept(company, subject) == before


def test_the_desk_hands_in_its_mail_under_tls(company: Company) -> None:
    certificate = company.inside("desk", "cat", "/certificate/mail.pem")
    checked = ssl.create_default_context(cadata=certificate)
    with smtplib.SMTP(LOOPBACK, company.ports["SUBMISSION"], timeout=10) as door:
        door.starttls(context=checked)
        door.login("desk", "loopback-desk-mailbox")
        letter = f"From: ap@deskworld.example\r\nSubject: {new_id()}\r\n\r\nhello\r\n"
        assert door.sendmail("ap@deskworld.example", [VENDOR], letter) == {}


def test_the_key_of_the_certificate_is_the_mail_servers_alone(company: Company) -> None:
    assert company.inside("desk", "ls", "/certificate").split() == ["mail.pem"]
