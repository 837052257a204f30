from datetime import UTC, datetime, timedelta

import pytest

from deskworld_kit.webhooks import SignatureRefused, headers, sign, verify

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BODY = b'{"type":"deskworld.erp.invoice.received"}'


def test_the_signature_is_the_one_that_standard_webhooks_defines() -> None:
    # computed with: printf 'msg_1.1772442000.{}' | openssl dgst -sha256 -hmac s3cret -binary | base64
    assert sign("s3cret", "msg_1", 1772442000, b"{}") == "v1,R+BByDtFKdYO1KPw8x6ORAXj2/GMjy7oSgScmRRLFmA="


def test_an_event_that_the_erp_signed_is_taken() -> None:
    assert verify("s3cret", headers("s3cret", "msg_1", AT, BODY), BODY, AT) == "msg_1"


def test_one_of_several_signatures_suffices_while_a_secret_is_changed() -> None:
    sent = headers("new", "msg_1", AT, BODY)
    old = headers("old", "msg_1", AT, BODY)["webhook-signature"]
    both = {**sent, "webhook-signature": f"{old} {sent['webhook-signature']}"}
    assert verify("new", both, BODY, AT) == "msg_1"


@pytest.mark.parametrize("late", [timedelta(seconds=301), timedelta(seconds=-301)])
def test_an_event_outside_five_minutes_is_refused(late: timedelta) -> None:
    with pytest.raises(SignatureRefused, match="window"):
        verify("s3cret", headers("s3cret", "msg_1", AT, BODY), BODY, AT + late)


def test_another_body_is_refused() -> None:
    with pytest.raises(SignatureRefused, match="body"):
        verify("s3cret", headers("s3cret", "msg_1", AT, BODY), BODY + b" ", AT)


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp"])
def test_another_id_or_time_is_refused(name: str) -> None:
    sent = headers("s3cret", "1772442000", AT, BODY)
    with pytest.raises(SignatureRefused):
        verify("s3cret", {**sent, name: str(int(sent[name]) + 1)}, BODY, AT)


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_missing_header_is_refused(name: str) -> None:
    sent = headers("s3cret", "msg_1", AT, BODY)
    del sent[name]
    with pytest.raises(SignatureRefused, match="incomplete"):
        verify("s3cret", sent, BODY, AT)


def test_a_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(SignatureRefused, match="incomplete"):
        verify("s3cret", {**headers("s3cret", "m", AT, BODY), "webhook-timestamp": "noon"}, BODY, AT)
