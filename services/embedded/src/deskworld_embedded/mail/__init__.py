"""The mail server: SMTP by aiosmtpd, IMAP by pymap, and a store of our own that loses nothing when it is killed."""
