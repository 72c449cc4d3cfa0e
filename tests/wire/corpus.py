"""Requests at the edges of the protocol, and what the server makes of each: its responses, and whether it closes.

The classes are those of the tests of the parser, llhttp, and of published faults of other servers: framing that two
servers read differently, bytes that one of them skips, and lines that one of them ends somewhere else.
"""

from typing import NamedTuple

NEXT = b"GET /next HTTP/1.1\r\nHost: a\r\n\r\n"
"""Follows every row whose request is complete: answered if the connection stays open, and never after a refusal."""
HELLO = b"5\r\nhello\r\n0\r\n\r\n"


class Row(NamedTuple):
    sent: bytes
    statuses: tuple[int, ...]
    closes: bool
    body: bytes = b""
    """Of the first request, as the application gets it."""


def line(first: bytes) -> bytes:
    return first + b"\r\nHost: a\r\n\r\n"


def get(*headers: bytes) -> bytes:
    return b"\r\n".join((b"GET / HTTP/1.1", b"Host: a", *headers, b"", b""))


def post(*headers: bytes, body: bytes = b"hello") -> bytes:
    return b"\r\n".join((b"POST / HTTP/1.1", b"Host: a", *headers, b"", body))


def chunked(body: bytes) -> bytes:
    return post(b"Transfer-Encoding: chunked", body=body)


def chunk(size: bytes) -> bytes:
    """A body whose only chunk has this line as its size."""
    return chunked(size + b"\r\nhello\r\n0\r\n\r\n")


def coded(*values: bytes) -> bytes:
    return post(*(b"Transfer-Encoding:" + value for value in values), body=HELLO)


def sized(*values: bytes) -> bytes:
    return post(*(b"Content-Length:" + value for value in values))


def hosted(*values: bytes) -> bytes:
    return b"\r\n".join((b"GET / HTTP/1.1", *(b"Host:" + value for value in values), b"", b""))


def trailed(trailer: bytes) -> bytes:
    return chunked(b"5\r\nhello\r\n0\r\n" + trailer + b"\r\n\r\n")


REQUEST_LINES = {
    "bare LF": b"GET / HTTP/1.1\nHost: a\r\n\r\n",
    "bare CR": b"GET / HTTP/1.1\rHost: a\r\n\r\n",
    "two CR": b"GET / HTTP/1.1\r\r\nHost: a\r\n\r\n",
    "only LF everywhere": b"GET / HTTP/1.1\nHost: a\n\n",
    "only CR everywhere": b"GET / HTTP/1.1\rHost: a\r\r",
    "LF before the version": b"GET /\nHTTP/1.1\r\nHost: a\r\n\r\n",
    "unknown method": line(b"BREW / HTTP/1.1"),
    "known method with a letter more": line(b"GETS / HTTP/1.1"),
    "known method with a letter less": line(b"GE / HTTP/1.1"),
    "known method with a byte in it": line(b"G\0ET / HTTP/1.1"),
    "lower-case method": line(b"get / HTTP/1.1"),
    "method in quotes": line(b'"GET" / HTTP/1.1'),
    "method of separators": line(b"G=:<>(e),[T];? / HTTP/1.1"),
    "very long method": line(b"A" * 1_500 + b" / HTTP/1.1"),
    "empty method": line(b" / HTTP/1.1"),
    "method beyond ASCII": line(b"G\xc3\x89T / HTTP/1.1"),
    "space before the method": line(b" GET / HTTP/1.1"),
    "tab before the method": line(b"\tGET / HTTP/1.1"),
    "tab after the method": line(b"GET\t/ HTTP/1.1"),
    "tab before the version": line(b"GET /\tHTTP/1.1"),
    "form feed before the version": line(b"GET /\x0cHTTP/1.1"),
    "space after the version": line(b"GET / HTTP/1.1 "),
    "no target": line(b"GET HTTP/1.1"),
    "empty target": line(b"GET  HTTP/1.1"),
    "a request line and no more": b"GET\r\n\r\n",
    "tunnel": line(b"CONNECT a:443 HTTP/1.1"),
    "tunnel to a path": line(b"CONNECT / HTTP/1.1"),
    "tunnel in HTTP/1.0": line(b"CONNECT a:443 HTTP/1.0"),
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/2 preface as HTTP/1.1": line(b"PRI * HTTP/1.1"),
    "TLS": bytes.fromhex("16030100a5010000a10303") + b"\0" * 40,
    "binary": bytes(range(256)),
    "a response": b"HTTP/1.1 200 OK\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
    "proxy protocol": b"PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n" + NEXT,
    "proxy protocol, binary": b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + b"\1" * 12 + NEXT,
    "byte order mark": b"\xef\xbb\xbf" + NEXT,
    "spaces on a line before the request": b"  \r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "NUL before the request": b"\0GET / HTTP/1.1\r\nHost: a\r\n\r\n",
}

VERSIONS = {
    "0.9": b"HTTP/0.9", "1.2": b"HTTP/1.2", "2.0": b"HTTP/2.0", "5.6": b"HTTP/5.6", "1.10": b"HTTP/1.10",
    "1.32": b"HTTP/1.32", "01.1": b"HTTP/01.1", "1.01": b"HTTP/1.01", "no minor number": b"HTTP/1", "no number": b"HTTP/",
    "no protocol": b"1.1", "none": b"", "lower case": b"http/1.1", "mixed case": b"Http/1.1", "comma": b"HTTP/1,1",
    "space": b"HTTP/ 1.1", "space in the number": b"HTTP/1. 1", "CR": b"HTTP/\r1.1", "negative": b"HTTP/-1.1",
    "letter": b"HTTP/1.a", "a letter before": b"IHTTP/1.1", "a letter more": b"HTTPS/1.1", "backslash": b"HTTP\\1.1",
    "another protocol": b"SPDY/1.1", "radio": b"ICE/1.0", "streaming, 3.0": b"RTSP/3.0",
}  # fmt: skip

TARGETS = {
    "path without a slash": b"path", "dot": b".", "exclamation mark": b"!", "query alone": b"?a=b", "fragment": b"/a#b",
    "fragment in the query": b"/a?b#c", "fragment alone": b"#", "space": b"/a b", "tab": b"/a\tb", "NUL": b"/a\0b",
    "control character": b"/a\x01", "form feed": b"/a\x0c", "delete": b"/a\x7f", "CR": b"/a\rb", "LF": b"/a\nb",
    "beyond ASCII": b"/\xc3\xa9", "overlong UTF-8": b"/\xc0\xaf..", "high byte in the query": b"/?\xff",
    "asterisk": b"*", "asterisk with more": b"*a", "authority": b"a:80", "authority without a port": b"a",
    "URL of another host": b"http://b/", "URL with a user": b"http://b@a/", "URL with its host as user": b"http://a@b/",
    "URL with a port": b"http://a:80/", "URL without a host": b"http:///", "URL of a host and a space": b"http://a /",
    "URL of another scheme": b"ftp://a/", "URL of a file": b"file:///etc/passwd", "URL with one slash": b"http:/a/",
    "URL without slashes": b"http:a", "URL without a scheme": b"://a/", "URL of two hosts": b"http://a,b/",
    "URL with a backslash": b"http://a\\@b/", "URL with a fragment": b"http://a/#b", "URL with a bracket": b"http://[a/",
}  # fmt: skip

VALUES = {
    "NUL": b"b\0c", "bare CR": b"b\rc", "bare LF": b"b\nc", "CR at the end": b"b\r", "CR at the start": b"\rb",
    "header after CR": b"b\rTransfer-Encoding: chunked", "header after LF": b"b\nTransfer-Encoding: chunked",
    "header after CR, empty": b"\rTransfer-Encoding: chunked", "header after LF, empty": b"\nTransfer-Encoding: chunked",
    "control character": b"b\x01c", "vertical tab": b"b\x0bc", "form feed": b"b\x0cc", "delete": b"b\x7fc",
    "folded": b"b\r\n c", "folded with a tab": b"b\r\n\tc", "folded, empty": b"\r\n c", "folded after LF": b"b\n c",
    "folded into nothing": b"b\r\n ", "folded header": b"b\r\n Content-Length: 38",
}  # fmt: skip

HEADERS = {
    "space before the colon": get(b"X : b"),
    "tab before the colon": get(b"X\t: b"),
    "space before the colon of the length": post(b"Content-Length : 5"),
    "space before the colon of the coding": post(b"Transfer-Encoding : chunked", body=HELLO),
    "tab before the colon of the coding": post(b"Transfer-Encoding\t:\tchunked", body=HELLO),
    "space before the colon of the host": hosted().replace(b"\r\n\r\n", b"\r\nHost : a\r\n\r\n"),
    "space in the name": post(b"Transfer Encoding: chunked", body=HELLO),
    "space before the first header": b"GET / HTTP/1.1\r\n Host: a\r\n\r\n",
    "tab before the first header": b"GET / HTTP/1.1\r\n\tHost: a\r\n\r\n",
    "line of a space before the first header": b"GET / HTTP/1.1\r\n \r\nHost: a\r\n\r\n",
    "space before a header": get(b" X: b"),
    "line of a space": get(b" "),
    "no colon": get(b"X"),
    "no colon, and a space": get(b"X b"),
    "name folded before the colon": get(b"X", b" : b"),
    "empty name": get(b": b"),
    "empty name, first": b"GET / HTTP/1.1\r\n: b\r\nHost: a\r\n\r\n",
    "only a colon": get(b":"),
    "CR in place of a hyphen": post(b"Content\rLength: 5"),
    "CR in the name": post(b"Transfer\r-Encoding: chunked", body=HELLO),
    "CR in place of the colon": get(b"Connection\r\x1b5\xd5eep-Alive"),
    "CR before the last line": b"GET / HTTP/1.1\r\nHost: a\r\n\rZ: b\r\n\r\n",
    "request after a CR": b"GET / HTTP/1.1\r\nHost: a\r\n\rZGET /next HTTP/1.1\r\nHost: a\r\n\r\n",
    "bare LF after a header": b"GET / HTTP/1.1\r\nHost: a\n\r\n",
    "bare LF as the last line": b"GET / HTTP/1.1\r\nHost: a\r\n\n",
    "two bare LF": b"GET / HTTP/1.1\r\nHost: a\n\n",
    "two CR before LF": b"GET / HTTP/1.1\r\nHost: a\r\r\n\r\n",
}

LENGTHS = {
    "plus": b" +5", "minus": b" -5", "minus zero": b" -0", "underscore": b" 0_5", "hexadecimal": b" 0x5", "letter": b" a",
    "hexadecimal digit": b" 5a", "octal": b" 0o5", "leading zero": b" 05", "leading zeros": b" 0005", "two zeros": b" 00",
    "decimal": b" 5.0", "exponent": b" 5e0", "comma": b" 5,", "list": b" 5, 5", "list without space": b" 5,5",
    "list of two": b" 5, 6", "empty list": b" ,", "semicolon": b" 5;", "quoted": b' "5"', "space in it": b" 1 3",
    "tab in it": b" 1\t3", "empty": b"", "blank": b" ", "word": b" none", "infinity": b" inf", "2 to the 64th":
    b" 18446744073709551616", "more than 64 bits": b" 18446744073709551621", "much more": b" " + b"9" * 300,
    "NUL": b" 5\0", "CR": b" 5\r", "LF": b" 5\n", "vertical tab": b" \x0b5", "fold": b"\r\n 5", "no-break space": b" \xa05",
    "fullwidth digit": " ５".encode(), "superscript digit": b" \xb2",
}  # fmt: skip

CODINGS = {
    "identity": b" identity", "unknown": b" pigeons", "compressed": b" gzip", "compressed first": b" gzip, chunked",
    "compressed last": b" chunked, gzip", "identity last": b" chunked, identity", "identity first": b" identity, chunked",
    "twice": b" chunked, chunked", "comma before": b" , chunked", "comma after": b" chunked,", "smashed": b" chunkedchunked",
    "letter before": b" xchunked", "letter after": b" chunkedx", "a letter less": b" chunke", "parameter": b" chunked;q=1",
    "other separator": b" chunked gzip", "quoted": b' "chunked"', "single quotes": b" 'chunked'", "empty": b"", "blank": b" ",
    "comma": b" ,", "NUL": b" chunked\0", "vertical tab": b" \x0bchunked", "form feed": b" \x0cchunked",
    "no-break space before": b" \xa0chunked", "no-break space after": b" chunked\xa0", "next line": b" chunked\x85",
    "CR after": b" chunked\r", "folded": b"\r\n chunked", "folded after": b" chunked\r\n ", "folded with more": b" chunked\r\n abc",
    "fold after LF": b"\n chunked", "high letter": b" ch\xfcnked", "k of kelvin": " chun\u212aed".encode(), "zero": b" 0",
}  # fmt: skip

FRAMINGS = {
    "length and chunks": post(b"Content-Length: 15", b"Transfer-Encoding: chunked", body=HELLO),
    "chunks and length": post(b"Transfer-Encoding: chunked", b"Content-Length: 15", body=HELLO),
    "length of zero and chunks": post(b"Content-Length: 0", b"Transfer-Encoding: chunked", body=HELLO),
    "length and chunks in other cases": post(b"content-LENGTH: 15", b"transfer-ENCODING: CHUNKED", body=HELLO),
    "length and an empty coding": post(b"Content-Length: 5", b"Transfer-Encoding:"),
    "length and identity": post(b"Content-Length: 5", b"Transfer-Encoding: identity"),
    "identity and length": post(b"Transfer-Encoding: identity", b"Content-Length: 5"),
    "length and an unknown coding": post(b"Content-Length: 5", b"Transfer-Encoding: xchunked"),
    "length and chunks in HTTP/1.0": post(b"Content-Length: 15", b"Transfer-Encoding: chunked", body=HELLO).replace(
        b"HTTP/1.1", b"HTTP/1.0"
    ),
    "chunks in HTTP/1.0": coded(b" chunked").replace(b"HTTP/1.1", b"HTTP/1.0"),
    "chunks kept alive in HTTP/1.0": coded(b" chunked", b" chunked").replace(b"HTTP/1.1", b"HTTP/1.0"),
    "length and chunks of a read": post(b"Content-Length: 15", b"Transfer-Encoding: chunked", body=HELLO).replace(
        b"POST", b"GET"
    ),
    "chunks twice": coded(b" chunked", b" chunked"),
    "chunks and another coding": coded(b" chunked", b" gzip"),
    "another coding and chunks": coded(b" gzip", b" chunked"),
    "chunks and nothing": coded(b" chunked", b""),
    "nothing and chunks": coded(b"", b" chunked"),
    "two lengths": sized(b" 5", b" 6"),
    "the same length twice": sized(b" 5", b" 5"),
    "a length and none": sized(b" 5", b""),
    "a length and zero": sized(b" 5", b" 0"),
    "lengths apart": post(b"Content-Length: 5", b"X: b", b"Content-Length: 5"),
    "lengths in other cases": post(b"Content-Length: 5", b"CONTENT-LENGTH: 6"),
}

CHUNK_SIZES = {
    "no digits": b"xyz", "a letter beyond F": b"g", "empty": b"", "plus": b"+5", "minus": b"-5", "minus zero": b"-0",
    "underscore": b"0_5", "hexadecimal prefix": b"0x5", "hexadecimal suffix": b"5h", "decimal": b"5.0", "comma": b"5,",
    "space before": b" 5", "tab before": b"\t5", "space after": b"5 ", "tab after": b"5\t", "space in it": b"0 5",
    "NUL after": b"5\0", "form feed after": b"5\x0c", "no-break space": b"5\xa0", "fullwidth digit": "５".encode(),
    "overflow of 64 bits": b"10000000000000005", "more than 64 bits": b"f" * 17, "overflow after zeros": b"0" * 20 + b"f" * 17,
    "much more": b"f" * 300, "quoted": b'"5"', "extension without semicolon": b"5 x=y", "word": b"5x",
    "space before the semicolon": b"5 ;x", "semicolon alone": b"5;", "semicolon and a space": b"5; ",
    "space in the name": b"5;x y", "space around the sign": b"5;x = y",
    "NUL in the name": b"5;x\0", "NUL in the value": b"5;x=\0", "control character": b"5;x=\x01", "CR in the name": b"5;x\ry",
    "CR in the value": b"5;x=y\rz", "LF in the name": b"5;x\ny", "LF in the value": b"5;x=y\nz", "LF after the semicolon": b"5;\n",
    "CR before the semicolon": b"5\r;x", "two CR": b"5\r\r", "CR before more": b"5\r\rhell", "LF": b"5\n", "space and LF": b"5 \n",
    "open quotes": b'5;x="y', "quotes with CR": b'5;x="y\rz"', "quotes with LF": b'5;x="y\nz"', "quotes with NUL": b'5;x="\0"',
    "more after the quotes": b'5;x="y"z', "high byte in the name": b"5;\xff", "high byte in the value": b"5;x=\xff",
}  # fmt: skip

CHUNKS = {
    "bare LF after the size": b"5\nhello\r\n0\r\n\r\n",
    "bare CR after the size": b"5\rhello\r\n0\r\n\r\n",
    "bare LF after the data": b"5\r\nhello\n0\r\n\r\n",
    "bare CR after the data": b"5\r\nhello\r0\r\n\r\n",
    "two CR after the data": b"5\r\nhello\r\r\n0\r\n\r\n",
    "nothing after the data": b"5\r\nhello0\r\n\r\n",
    "longer than its size": b"5\r\nhelloo\r\n0\r\n\r\n",
    "shorter than its size": b"6\r\nhello\r\n0\r\n\r\n",
    "a line between": b"5\r\nhello\r\n\r\n0\r\n\r\n",
    "no last chunk": b"5\r\nhello\r\n\r\n",
    "nothing but lines": b"\r\n\r\n",
    "bare LF after the last size": b"5\r\nhello\r\n0\n\r\n",
    "bare LF at the end": b"5\r\nhello\r\n0\r\n\n",
    "only LF at the end": b"5\r\nhello\r\n0\n\n",
    "bare CR at the end": b"5\r\nhello\r\n0\r\n\rX",
    "bytes in place of the end": b"5\r\nhello\r\n0\r\nXX\r\n\r\n",
    "space after the last size": b"5\r\nhello\r\n0 \r\n\r\n",
    "minus zero as the last size": b"5\r\nhello\r\n-0\r\n\r\n",
    "size of the next request": b"5\r\nhello\r\n0_2e\r\n" + NEXT + b"0\r\n\r\n",
    "only LF": b"5\nhello\n0\n\n",
}

TRAILERS = {
    "length": b"Content-Length: 5", "coding": b"Transfer-Encoding: chunked", "host": b"Host: b", "connection": b"Connection: close",
    "length in another case": b"CONTENT-length: 5", "authorization": b"Authorization: Bearer x", "no colon": b"X",
    "space before the colon": b"X : y", "space before the name": b" X: y", "bare LF": b"X: y\nZ: z", "bare CR": b"X: y\rZ: z",
    "NUL": b"X: \0", "folded": b"X: y\r\n z", "empty name": b": y", "a request": NEXT[:-4], "upgrade": b"Upgrade: h2c",
    "cookie": b"Cookie: a=b", "expectation": b"Expect: 100-continue", "content type": b"Content-Type: text/html",
}  # fmt: skip

HOSTS = {
    "none": hosted(),
    "empty": hosted(b""),
    "blank": hosted(b"  "),
    "two": hosted(b" a", b" b"),
    "the same twice": hosted(b" a", b" a"),
    "one and none": hosted(b" a", b""),
    "in other cases": get(b"HOST: a"),
    "two with a header between": get(b"X: b", b"Host: b"),
    "none, and a complete URL": b"GET http://a/ HTTP/1.1\r\n\r\n",
    "empty, and a complete URL": b"GET http://a/ HTTP/1.1\r\nHost:\r\n\r\n",
    **{
        name: hosted(value)
        for name, value in {
            "list": b" a, b", "list without space": b" a,b", "user": b" b@a", "path": b" a/b", "slash": b" a/", "query": b" a?b",
            "fragment": b" a#b", "URL": b" http://a", "space": b" a b", "tab": b" a\tb", "backslash": b" a\\b", "two ports": b" a:1:2",
            "word as port": b" a:b", "negative port": b" a:-1", "huge port": b" a:123456", "port alone": b" :80", "quoted": b' "a"',
            "angle brackets": b" <a>", "open bracket": b" [::1", "bracket of a name": b" [a]", "after the bracket": b" [::1]a",
            "high byte": b" \xe9", "UTF-8": " é".encode(), "percent": b" a%", "braces": b" {a}", "pipe": b" a|b", "caret": b" a^b",
            "NUL": b" a\0", "fold": b" a\r\n b", "semicolon": b" a;b", "sign": b" a=b", "backquote": b" `a`",
        }.items()
    },
}  # fmt: skip

UPGRADES = {
    "with a length": post(b"Connection: upgrade", b"Upgrade: h2c", b"Content-Length: 5"),
    "with chunks": post(b"Connection: upgrade", b"Upgrade: h2c", b"Transfer-Encoding: chunked", body=HELLO),
    "of a web socket with a length": post(b"Upgrade: websocket", b"Connection: Upgrade", b"Content-Length: 5"),
}

CONTROLS = [byte for byte in range(256) if byte < 0x20 or byte > 0x7E]
SEPARATORS = b' "(),/:;<=>?@[\\]{}'

REFUSED = {
    **{f"request line, {name}": sent for name, sent in REQUEST_LINES.items()},
    **{f"version, {name}": line(b"GET / " + value) for name, value in VERSIONS.items()},
    **{f"target, {name}": line(b"GET " + value + b" HTTP/1.1") for name, value in TARGETS.items()},
    **{f"value, {name}": get(b"X: " + value) for name, value in VALUES.items()},
    **{f"header, {name}": sent for name, sent in HEADERS.items()},
    **{f"length, {name}": sized(value) for name, value in LENGTHS.items()},
    **{f"coding, {name}": coded(value) for name, value in CODINGS.items()},
    **{f"framing, {name}": sent for name, sent in FRAMINGS.items()},
    **{f"chunk size, {name}": chunk(value) for name, value in CHUNK_SIZES.items()},
    **{f"chunk, {name}": chunked(value) for name, value in CHUNKS.items()},
    **{f"trailer, {name}": trailed(value) for name, value in TRAILERS.items()},
    **{f"host, {name}": sent for name, sent in HOSTS.items()},
    **{f"upgrade, {name}": sent for name, sent in UPGRADES.items()},
    **{f"byte {byte:02x} in a name": get(b"X%cY: b" % byte) for byte in (*CONTROLS, *SEPARATORS) if byte != 0x3A},
    **{f"byte {byte:02x} before a name": get(b"%cX: b" % byte) for byte in (*CONTROLS, *SEPARATORS)},
    **{f"byte {byte:02x} after a name": get(b"X%c: b" % byte) for byte in (*CONTROLS, *SEPARATORS) if byte != 0x3A},
    **{f"byte {byte:02x} in a value": get(b"X: b%cc" % byte) for byte in CONTROLS if byte < 0x80 and byte != 9},
    **{f"byte {byte:02x} before the coding": coded(b"%cchunked" % byte) for byte in CONTROLS if byte != 9},
    **{f"byte {byte:02x} after the coding": coded(b" chunked%c" % byte) for byte in CONTROLS if byte != 9},
    **{f"byte {byte:02x} before the length": sized(b"%c5" % byte) for byte in CONTROLS if byte != 9},
    **{f"byte {byte:02x} after the length": sized(b" 5%c" % byte) for byte in CONTROLS if byte != 9},
    **{f"byte {byte:02x} in the target": line(b"GET /%c HTTP/1.1" % byte) for byte in CONTROLS},
}  # fmt: skip

ANSWERED = {
    "plain": b"GET /?a=b HTTP/1.1\r\nHost: a\r\n\r\n",
    "headers": b"GET / HTTP/1.1\r\nHOST: a\r\nX-One: 1\r\nx-one:2\r\nEmpty:\r\nTabs:\t t \t\r\nLatin: \xe9\r\n\r\n",
    "empty lines first": b"\r\n\r\n" + get(),
    "asterisk": b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    "complete URL": b"GET http://A:80/?a HTTP/1.1\r\nHost: a:80\r\n\r\n",
    "complete URL without a path": b"GET http://a HTTP/1.1\r\nHost: a\r\n\r\n",
    "complete URL with only a query": b"GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n",
    "complete URL with TLS": b"GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "path that looks like a host": line(b"GET //b/ HTTP/1.1"),
    "path with dots": line(b"GET /../../etc HTTP/1.1"),
    "path with an escaped line": line(b"GET /%0d%0aX:%20y HTTP/1.1"),
    "path with an escaped NUL": line(b"GET /%00 HTTP/1.1"),
    "query with question marks": line(b"GET /?a?b=c?d HTTP/1.1"),
    "query with a URL": line(b"GET /?a=http://b/ HTTP/1.1"),
    "query with quotes and pipes": line(b'GET /?"a"|b HTTP/1.1'),
    "a longer method that is known": line(b"PROPFIND / HTTP/1.1"),
    "a method with a hyphen": line(b"M-SEARCH / HTTP/1.1"),
    "value without a space": get(b"X:b"),
    "value after many spaces": get(b"X:" + b" " * 100 + b"b"),
    "value of tabs": get(b"X:\t\tb\t\tc\t"),
    "value that is a header": get(b"X: Y: b"),
    "value with high bytes": get(b"X: \x80\xa0\xff"),
    "name of all kinds of characters": get(b"!#$%&'*+-.^_`|~0aA: b"),
    "names with underscores": get(b"Content_Length: 5", b"Transfer_Encoding: chunked"),
    "names that begin like those of framing": get(b"Content-Length-X: 5", b"Transfer-Encodings: x", b"Hosts: b"),
    "coding of the content": get(b"Content-Encoding: chunked"),
    "codings that are accepted": get(b"TE: trailers, chunked;q=0"),
    "length of zero": post(b"Content-Length: 0", body=b""),
    "no length": post(body=b""),
    "no chunks": chunked(b"0\r\n\r\n"),
    "host with a port": hosted(b" a:8080"),
    "host with an empty port": hosted(b" a:"),
    "host with dots": hosted(b" a.b-c.example."),
    "host with an underscore": hosted(b" a_b"),
    "host without a space": hosted(b"a"),
    "host with spaces around": hosted(b" \t a \t "),
    "host of IPv4": hosted(b" 127.0.0.1:80"),
    "host of IPv6": hosted(b" [::1]:80"),
    "host of IPv6, mapped": hosted(b" [::ffff:127.0.0.1]"),
    "host with percent": hosted(b" a%2Db"),
    "option that is no option": get(b"Connection: closed"),
    "option that names a header": get(b"Connection: host, content-length"),
    "empty option": get(b"Connection:"),
    "keep-alive": get(b"Connection: keep-alive", b"Keep-Alive: timeout=5"),
    "upgrade without its option": get(b"Upgrade: h2c"),
    "option of an upgrade alone": get(b"Connection: upgrade"),
    "expectation without a body": get(b"Expect: 100-continue"),
    "kept alive in HTTP/1.0": b"GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
    "kept alive in HTTP/1.0 without a host": b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
}

LENIENT = {
    "two spaces after the method": line(b"GET  / HTTP/1.1"),
    "two spaces before the version": line(b"GET /  HTTP/1.1"),
    "LF before the request": b"\n" + get(),
    "CR before the request": b"\r" + get(),
    "another protocol of the same form": line(b"GET / RTSP/1.1"),
    "another protocol with its method": line(b"SOURCE / ICE/1.1"),
}
"""What the parser does not tell us. RFC 9112 allows the spaces and the LF, and none of it moves the end of a request."""

HELLOS = {
    "length": sized(b" 5"),
    "length without a space": sized(b"5"),
    "length with spaces around": sized(b"  5 \t"),
    "length in another case": post(b"conTENT-lENGTH: 5"),
    "body of a read": sized(b" 5").replace(b"POST", b"GET"),
    "body of a delete": sized(b" 5").replace(b"POST", b"DELETE"),
    "body of OPTIONS": sized(b" 5").replace(b"POST", b"OPTIONS"),
    "chunks": coded(b" chunked"),
    "chunks in another case": coded(b" ChUnKeD"),
    "chunks in upper case": post(b"TRANSFER-ENCODING: CHUNKED", body=HELLO),
    "chunks without a space": coded(b"chunked"),
    "chunks after a tab": coded(b"\tchunked"),
    "chunks of a read": coded(b" chunked").replace(b"POST", b"GET"),
    "chunks of one byte": chunked(b"".join(b"1\r\n%c\r\n" % byte for byte in b"hello") + b"0\r\n\r\n"),
    "zeros before a size": chunked(b"0005\r\nhello\r\n0\r\n\r\n"),
    "many zeros": chunked(b"0" * 40 + b"5\r\nhello\r\n" + b"0" * 40 + b"\r\n\r\n"),
    "extension": chunk(b"5;x"),
    "extension with a value": chunk(b"5;x=y"),
    "extension in quotes": chunk(b'5;x="y z;\t\\"q\\" \\\\"'),
    "several extensions": chunk(b'5;x;y=z;q="r";s'),
    "extension of the last chunk": chunked(b"5\r\nhello\r\n0;x=y\r\n\r\n"),
    "extension without a name": chunk(b"5;=y"),
    "extension without a value": chunk(b"5;x="),
    "empty extension before another": chunk(b"5;;x"),
    "trailers": trailed(b"X-One: 1\r\nx-two:\r\nX-One: 3"),
    "expectation": post(b"Expect: 100-continue", b"Content-Length: 5"),
    "expectation in another case": post(b"EXPECT: 100-Continue", b"Content-Length: 5"),
    "expectation of chunks": post(b"Expect: 100-continue", b"Transfer-Encoding: chunked", body=HELLO),
    "unknown expectation": post(b"Expect: a miracle", b"Content-Length: 5"),
    "expectation twice": post(b"Expect: 100-continue", b"Expect: 100-continue", b"Content-Length: 5"),
}

CLOSED = {
    "close": get(b"Connection: close"),
    "close in another case": get(b"CONNECTION: Close"),
    "close first": get(b"Connection: close, keep-alive"),
    "close last": get(b"Connection: keep-alive, close"),
    "close among others": get(b"Connection: x , ,close,y"),
    "close on a second line": get(b"Connection: keep-alive", b"Connection: close"),
    "close after spaces": get(b"Connection:   close  "),
    "close of a proxy": get(b"Proxy-Connection: close"),
    "close after a body": post(b"Connection: close", b"Content-Length: 5"),
    "close after chunks": post(b"Connection: close", b"Transfer-Encoding: chunked", body=HELLO),
    "close in HTTP/1.0": b"GET / HTTP/1.0\r\nHost: a\r\nConnection: close\r\n\r\n",
    "HTTP/1.0": b"GET / HTTP/1.0\r\nHost: a\r\n\r\n",
    "HTTP/1.0 without a host": b"GET / HTTP/1.0\r\n\r\n",
    "HTTP/1.0 with a body": sized(b" 5").replace(b"HTTP/1.1", b"HTTP/1.0"),
    "HTTP/1.0 with an expectation": post(b"Expect: 100-continue", b"Content-Length: 5").replace(
        b"HTTP/1.1", b"HTTP/1.0"
    ),
    "upgrade to HTTP/2": get(
        b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAAQAAP__"
    ),
    "upgrade to a web socket": get(b"Connection: Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13"),
    "upgrade to something unknown": get(b"Connection: keep-alive, upgrade", b"Upgrade: x/1, y/2"),
    "upgrade with a length of zero": post(b"Connection: upgrade", b"Upgrade: h2c", b"Content-Length: 0", body=b""),
}

TOO_LARGE = {
    "target": line(b"GET /" + b"a" * 3_000 + b" HTTP/1.1"),
    "value": get(b"X: " + b"a" * 3_000),
    "name": get(b"X" * 3_000 + b": b"),
    "headers": get(*[b"X: b"] * 30),
    "empty headers": get(*[b"X:"] * 30),
    "cookies": get(*[b"Cookie: " + b"a" * 500] * 8),
}

INCOMPLETE = {
    "nothing": b"",
    "empty lines": b"\r\n\r\n",
    "a part of a method": b"GE",
    "a request line": b"GET / HTTP/1.1",
    "a line without its end": b"GET / HTTP/1.1\r",
    "a head without its end": b"GET / HTTP/1.1\r\nHost: a\r\n",
    "a head without its last byte": b"GET / HTTP/1.1\r\nHost: a\r\n\r",
    "a head without a body": post(b"Content-Length: 5", body=b""),
    "a part of a body": post(b"Content-Length: 5", body=b"hell"),
    "a huge length": post(b"Content-Length: 9223372036854775807"),
    "the head of chunks": chunked(b""),
    "a part of a chunk": chunked(b"5\r\nhell"),
    "a chunk without its end": chunked(b"5\r\nhello\r"),
    "chunks without the last": chunked(b"5\r\nhello\r\n"),
    "the last chunk without its end": chunked(b"5\r\nhello\r\n0\r\n"),
    "the last chunk without its last byte": chunked(b"5\r\nhello\r\n0\r\n\r"),
    "a trailer without its end": chunked(b"5\r\nhello\r\n0\r\nX: y"),
    "a huge chunk": chunked(b"fffffffffffffff\r\nhello"),
}

PIPELINED = {
    "up to the limit": Row(get() * 4, (200,) * 4, False),
    "bodies": Row(sized(b" 5") + coded(b" chunked") + get(), (200,) * 3, False, b"hello"),
    "empty lines between": Row(get() + b"\r\n" + get() + b"\r\n\r\n" + get(), (200,) * 3, False),
    "a malformed one at the end": Row(get() * 2 + b"nonsense\r\n\r\n" + NEXT, (200, 200, 400), True),
    "a length that is too short": Row(sized(b" 4") + NEXT, (200, 400), True, b"hell"),
    "a length that is too long": Row(sized(b" 30") + NEXT, (200, 400), True, b"hello" + NEXT[:25]),
    "a body that is a request": Row(post(b"Content-Length: %d" % len(NEXT), body=NEXT) + NEXT, (200, 200), False, NEXT),
    "one that is too large at the end": Row(get() + TOO_LARGE["value"] + NEXT, (200, 431), True),
    "a bare LF in the second": Row(get() + get(b"X: b\nY: c") + NEXT, (200, 400), True),
    "HTTP/1.0 between": Row(get() + CLOSED["HTTP/1.0"] + NEXT, (200, 200), True),
    "an upgrade between": Row(get() + CLOSED["upgrade to HTTP/2"] + NEXT, (200, 200), True),
    "what follows a close is malformed": Row(CLOSED["close"] + b"\0nonsense\r\n\r\n", (200,), True),
    "a body beyond its length before a close": Row(CLOSED["close after a body"] + b"more", (200,), True, b"hello"),
}

ROWS = {
    **{name: Row(sent + NEXT, (400,), True) for name, sent in REFUSED.items()},
    **{f"answered, {name}": Row(sent + NEXT, (200, 200), False) for name, sent in (ANSWERED | LENIENT).items()},
    **{f"answered with a body, {name}": Row(sent + NEXT, (200, 200), False, b"hello") for name, sent in HELLOS.items()},
    **{
        f"answered and closed, {name}": Row(sent + NEXT, (200,), True, b"hello" if b"hello" in sent else b"")
        for name, sent in CLOSED.items()
    },
    **{f"too large, {name}": Row(sent + NEXT, (431,), True) for name, sent in TOO_LARGE.items()},
    **{f"incomplete, {name}": Row(sent, (), False) for name, sent in INCOMPLETE.items()},
    **{f"pipelined, {name}": row for name, row in PIPELINED.items()},
}  # fmt: skip
