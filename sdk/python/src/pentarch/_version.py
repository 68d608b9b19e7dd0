"""The release of this client, and how it names itself to servers."""

VERSION = "2.0.0"
USER_AGENT = f"pentarch-python/{VERSION}"
