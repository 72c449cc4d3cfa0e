"""What an offline check finds: nothing in an honest export, and the first broken line of any other."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teamspace.audit.domain.verification import BrokenExport, verify
from teamspace.core.db.audit import ZERO_HASH, ChainHead, ChainLine, parse_heads, row_hash
from tests.audit.conftest import Console


def chain(count: int, org_id: str = "o", detail: str = '{"a":1}') -> list[ChainLine]:
    made: list[ChainLine] = []
    for seq in range(1, count + 1):
        prev = made[-1].hash if made else ZERO_HASH
        made.append(sealed(ChainLine(
            org_id=org_id, id=f"id-{seq}", at="2026-03-01T12:00:00.000Z", team_id=None, actor_kind="api",
            actor_id="ann", token_id=None, action="note.create", target=f"n{seq}", detail=detail,
            request_id="r", address="192.0.2.1", seq=seq, hash="", prev=prev,
        )))  # fmt: skip
    return made


def sealed(line: ChainLine) -> ChainLine:
    return msgspec.structs.replace(line, hash=row_hash(line.prev, line.seq, line))


def text(lines: list[ChainLine]) -> list[bytes]:
    return [msgspec.json.encode(line) + b"\n" for line in lines]


def heads(*lines: ChainLine) -> list[ChainHead]:
    return [ChainHead(line.org_id, line.seq, line.hash) for line in lines]


TEN = chain(10)
HONEST = text(TEN)


def fault(lines: list[bytes], kept: list[ChainHead] | None = None, *, complete: bool = False) -> str:
    with pytest.raises(BrokenExport) as found:
        verify(lines, kept, complete=complete)
    return str(found.value)


def test_an_honest_export_holds() -> None:
    assert verify(HONEST) == f"10 events of company o, 1 to 10, head {TEN[-1].hash}"
    assert verify(HONEST, heads(TEN[4], TEN[9]), complete=True)
    assert verify(text(chain(2, org_id=""))).startswith("2 events of the instance, 1 to 2")
    assert verify([]) == "no events"
    assert verify([line.replace(b"\n", b"\r\n") for line in HONEST] + [b"\n"])


def test_gaps_are_counted_and_only_a_whole_export_has_none() -> None:
    some = [HONEST[n] for n in (1, 2, 5, 8)]
    assert verify(some) == f"4 of 8 events of company o, 2 to 9, head {TEN[8].hash}; gaps: 2"
    assert fault(some, complete=True) == "line 1, seq 2: seq 1 is missing"
    assert fault([*HONEST[:4], *HONEST[5:]], complete=True) == "line 5, seq 6: seq 5 is missing"


@given(position=st.integers(0, len(b"".join(HONEST)) - 2), byte=st.integers(0, 255))
@settings(max_examples=400, deadline=None)
def test_any_changed_byte_is_found_at_its_line(position: int, byte: int) -> None:
    whole = bytearray(b"".join(HONEST))
    if whole[position] == byte:
        return
    number = whole[:position].count(b"\n") + 1
    whole[position] = byte
    assert fault(bytes(whole).splitlines(keepends=True), complete=True).startswith(f"line {number}")


def test_a_row_that_was_changed_is_found_though_its_hash_is_made_anew() -> None:
    forged = sealed(msgspec.structs.replace(TEN[4], action="note.delete"))
    assert fault([*HONEST[:4], *text([forged]), *HONEST[5:]]) == ("line 6, seq 6: does not follow the line before")


def test_a_forged_hash_is_found() -> None:
    forged = msgspec.structs.replace(TEN[4], hash="ab" * 32)
    assert fault([*HONEST[:4], *text([forged])]) == "line 5, seq 5: the content does not match its hash"
    assert fault(text([sealed(msgspec.structs.replace(TEN[0], prev="ab" * 32))])) == (
        "line 1, seq 1: does not follow the line before"
    )


def test_another_order_is_found() -> None:
    swapped = [*HONEST[:3], HONEST[4], HONEST[3], *HONEST[5:]]
    assert fault(swapped) == "line 5, seq 4: does not come after seq 5"
    assert fault([*HONEST[:2], HONEST[1]]) == "line 3, seq 2: does not come after seq 2"
    assert "does not come after" in fault(text([sealed(msgspec.structs.replace(TEN[0], seq=0))]))


def test_another_company_is_found() -> None:
    assert fault([HONEST[0], *text(chain(2, "other"))[1:]]) == (
        "line 2, seq 2: belongs to another company than the line before"
    )


NO_LINES = (
    b"{}\n", b"[]\n", b"\xff\n", b"no json\n", b'{"seq":1}\n', b"[" * 100_000,
    HONEST[0][:-2] + b',"x":1}\n',
)  # fmt: skip


@pytest.mark.parametrize("line", NO_LINES)
def test_what_is_no_line_of_an_export_is_told_so(line: bytes) -> None:
    assert fault([*HONEST[:2], line]) == "line 3: not a line of an export"


def test_a_field_cannot_stand_there_twice() -> None:
    doubled = HONEST[0].replace(b'{"org_id"', b'{"action":"another","org_id"')
    assert fault([doubled]) == "line 1, seq 1: not formatted as the server writes it"


# Heads that were kept elsewhere


def test_a_tail_that_was_cut_off_is_found_by_a_kept_head() -> None:
    assert verify(HONEST[:8])
    assert fault(HONEST[:8], heads(TEN[9])) == "line 8, seq 8: the export ends here, but a saved head has seq 10"
    assert fault([], heads(TEN[9])) == "line 0, seq 0: the export ends here, but a saved head has seq 10"


def test_a_chain_that_was_written_anew_is_found_by_a_kept_head() -> None:
    anew = text(chain(10, detail="{}"))
    assert verify(anew, complete=True)
    kept = "its hash, or the previous one, differs from the saved head"
    assert fault(anew, heads(TEN[4])) == f"line 5, seq 5: {kept}"
    assert fault(anew[5:], heads(TEN[4])) == f"line 1, seq 6: {kept}"
    assert fault(HONEST, [*heads(TEN[4]), ChainHead("o", 5, "ab" * 32)]) == f"line 5, seq 5: {kept}"


def test_a_head_of_another_company_proves_nothing_and_is_told_so() -> None:
    assert verify(HONEST, heads(*chain(12, "other"))).endswith("; no saved head for this chain")


def test_heads_are_read_from_the_command_and_from_the_log() -> None:
    head, own = ChainHead("o", 7, "ab" * 32), ChainHead("", 3, "cd" * 32)
    log = f'2026-03-01T12:00:00.000Z info logger=teamspace.audit message="audit head org=o seq=7 hash={"ab" * 32}"'
    json = f'{{"level":"info","message":"audit head org=- seq=3 hash={"cd" * 32}"}}'
    assert parse_heads([str(head), "", str(own), log, json]) == [head, own, head, own]
    for wrong in ("o 7", f"o x {'ab' * 32}", "o 7 abc", "# a remark"):
        with pytest.raises(ValueError, match="line 2 is not an audit head"):
            parse_heads([str(head), wrong])


# The command


def test_the_command_ends_with_0_1_or_2_and_one_line(console: Console, tmp_path: Path) -> None:
    honest, cut, kept, wrong = (tmp_path / name for name in ("honest", "cut", "kept", "wrong"))
    honest.write_bytes(b"".join(HONEST))
    cut.write_bytes(b"".join(HONEST[:-1]))
    kept.write_text(f"{ChainHead('o', 10, TEN[-1].hash)}\n")
    wrong.write_text("no head\n")
    assert console("verify", str(honest), "--heads", str(kept), "--whole").status == 0
    assert console("verify", "-", "--heads", str(kept), stdin=honest.read_bytes()).status == 0
    ended = console("verify", str(cut), "--heads", str(kept))
    assert (ended.status, ended.err) == (1, "")
    assert ended.out == "broken: line 9, seq 9: the export ends here, but a saved head has seq 10\n"
    for unreadable in (
        ("none",),
        (str(tmp_path),),
        (str(honest), "--heads", "none"),
        (str(honest), "--heads", str(wrong)),
    ):
        ended = console("verify", *unreadable)
        assert (ended.status, ended.out) == (2, "")
        assert ended.err.startswith("teamspace: cannot read ") and ended.err.count("\n") == 1
