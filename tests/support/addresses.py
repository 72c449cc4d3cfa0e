"""URLs of internal addresses, and URLs that parsers read differently. The server must call none of them."""

_INTERNAL = (
    "https://127.0.0.1:{port}", "https://127.0.0.2:{port}", "https://127.1:{port}", "https://127.0.1:{port}",
    "https://2130706433:{port}", "https://0x7f000001:{port}", "https://0x7f.1:{port}", "https://0x7f.0.0.1:{port}",
    "https://0177.0.0.1:{port}", "https://017700000001:{port}", "https://127.0.0.01:{port}",
    "https://127.0.0.1.:{port}", "https://0:{port}", "https://0.0.0.0:{port}", "https://localhost:{port}",
    "https://LOCALHOST:{port}", "https://localhost.:{port}", "https://[::1]:{port}", "https://[::]:{port}",
    "https://[0:0:0:0:0:0:0:1]:{port}", "https://[::ffff:127.0.0.1]:{port}", "https://[::ffff:7f00:1]:{port}",
    "https://[::127.0.0.1]:{port}", "https://[::7f00:1]:{port}", "https://[64:ff9b::7f00:1]:{port}",
    "https://[64:ff9b:1::7f00:1]:{port}", "https://[2002:7f00:1::]:{port}", "https://[2001:0:7f00:1::]:{port}",
    "https://[fe80::1]:{port}", "https://[fe80::1%25lo]:{port}", "https://[fc00::1]:{port}", "https://[fec0::1]:{port}",
    "https://[ff02::1]:{port}", "https://169.254.169.254", "https://[::ffff:169.254.169.254]",
    "https://[64:ff9b::a9fe:a9fe]", "https://[2002:a9fe:a9fe::]", "https://2852039166", "https://0xa9fea9fe",
    "https://169.254.43518", "https://10.0.0.1", "https://172.16.0.1", "https://192.168.0.1", "https://100.64.0.1",
    "https://192.0.0.8", "https://192.88.99.1", "https://198.18.0.1", "https://224.0.0.1", "https://240.0.0.1",
    "https://255.255.255.255",
)  # fmt: skip
_AMBIGUOUS = (
    "http://127.0.0.1:{port}", "http://example.com", "ftp://example.com", "file:///etc/passwd", "gopher://127.0.0.1:{port}",
    "//127.0.0.1:{port}", "127.0.0.1:{port}", "https:127.0.0.1:{port}", "https:///127.0.0.1:{port}",
    "https://example.com@127.0.0.1:{port}", "https://user:pass@127.0.0.1:{port}", "https://127.0.0.1:{port}@example.com",
    "https://example.com\\@127.0.0.1:{port}", "https://127.0.0.1:{port}\\@example.com", "https://127.0.0.1\\.example.com",
    "https://example.com#@127.0.0.1:{port}", "https://example.com?@127.0.0.1:{port}", "https://127.0.0.1:{port}#",
    "https://127.0.0.1:{port}?x=1", "https://127.0.0.1%3a{port}", "https://127%2e0%2e0%2e1:{port}",
    "https://127。0。0。1:{port}", "https://①②⑦.0.0.1:{port}", "https://loc\u00adalhost:{port}", "https://K.example",
    "https://127.0.0.1:{port}\r\nhost: x", "https://127.0.0.1\t:{port}", " https://127.0.0.1:{port}",
    "https://127.0.0.1:{port} ", "https://127.0.0.1:0{port}", "https://127.0.0.1:99999", "https://127.0.0.1:-1",
    "https://127.0.0.1:{port}:443", "https://[::1", "https://::1:{port}", "https://", "", "https://.", "https://a..b",
    "https://example.com/../../api", "https://example.com/%2e%2e/api", "https://example.com/./x",
)  # fmt: skip


def spellings(port: int) -> list[str]:
    return [spelling.format(port=port) for spelling in (*_INTERNAL, *_AMBIGUOUS)]
