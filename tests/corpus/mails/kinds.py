"""All kinds of odd mail, by name."""

from tests.corpus.mails.headers import HEADERS
from tests.corpus.mails.mime import MIME
from tests.corpus.mails.reports import REPORTS
from tests.corpus.mails.slow import SLOW
from tests.corpus.mails.texts import TEXTS

ALL = [*HEADERS, *MIME, *TEXTS, *REPORTS, *SLOW]
