"""Offline verification: accepts an intact export, and names the first broken line of any other."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teamspace.audit.domain.verification import BrokenExport, verify
from teamspace.core.db.audit import ZERO_HASH, ChainHead, ChainLine, parse_heads, row_hash
from tests.audit.conftest import RunAudit


def chain(count: int, org_id: str = "o", detail: str = '{"a":1}') -> list[ChainLine]:
    lines: list[ChainLine] = []
    for seq in range(1, count + 1):
        prev = lines[-1].hash if lines else ZERO_HASH
        lines.append(seal(ChainLine(
            org_id=org_id, id=f"id-{seq}", at="2026-03-01T12:00:00.000Z", team_id=None, actor_kind="api",
            actor_id="ann", token_id=None, action="note.create", target=f"n{seq}", detail=detail,
            request_id="r", address="192.0.2.1", seq=seq, hash="", prev=prev,
        )))  # fmt: skip
    return lines


def seal(line: ChainLine) -> ChainLine:
    return msgspec.structs.replace(line, hash=row_hash(line.prev, line.seq, line))


def text(lines: list[ChainLine]) -> list[bytes]:
    return [msgspec.json.encode(line) + b"\n" for line in lines]


def heads(*lines: ChainLine) -> list[ChainHead]:
    return [ChainHead(line.org_id, line.seq, line.hash) for line in lines]


TEN = chain(10)
INTACT = text(TEN)


def failure(lines: list[bytes], saved: list[ChainHead] | None = None, *, complete: bool = False) -> str:
    with pytest.raises(BrokenExport) as found:
        verify(lines, saved, complete=complete)
    return str(found.value)


def test_an_intact_export_is_valid() -> None:
    assert verify(INTACT) == f"10 events of company o, 1 to 10, head {TEN[-1].hash}"
    assert verify(INTACT, heads(TEN[4], TEN[9]), complete=True)
    assert verify(text(chain(2, org_id=""))).startswith("2 events of the instance, 1 to 2")
    assert verify([]) == "no events"
    assert verify([line.replace(b"\n", b"\r\n") for line in INTACT] + [b"\n"])


def test_gaps_are_counted_and_refused_in_a_whole_export() -> None:
    some = [INTACT[n] for n in (1, 2, 5, 8)]
    assert verify(some) == f"4 of 8 events of company o, 2 to 9, head {TEN[8].hash}; gaps: 2"
    assert failure(some, complete=True) == "line 1, seq 2: seq 1 is missing"
    assert failure([*INTACT[:4], *INTACT[5:]], complete=True) == "line 5, seq 6: seq 5 is missing"


@given(position=st.integers(0, len(b"".join(INTACT)) - 2), byte=st.integers(0, 255))
@settings(max_examples=400, deadline=None)
def test_any_changed_byte_is_detected_at_its_line(position: int, byte: int) -> None:
    whole = bytearray(b"".join(INTACT))
    if whole[position] == byte:
        return
    number = whole[:position].count(b"\n") + 1
    whole[position] = byte
    assert failure(bytes(whole).splitlines(keepends=True), complete=True).startswith(f"line {number}")


def test_a_changed_row_with_a_recomputed_hash_is_detected() -> None:
    forged = seal(msgspec.structs.replace(TEN[4], action="note.delete"))
    assert failure([*INTACT[:4], *text([forged]), *INTACT[5:]]) == ("line 6, seq 6: does not follow the line before")


def test_a_forged_hash_is_detected() -> None:
    forged = msgspec.structs.replace(TEN[4], hash="ab" * 32)
    assert failure([*INTACT[:4], *text([forged])]) == "line 5, seq 5: the content does not match its hash"
    assert failure(text([seal(msgspec.structs.replace(TEN[0], prev="ab" * 32))])) == (
        "line 1, seq 1: does not follow the line before"
    )


def test_a_changed_order_is_detected() -> None:
    swapped = [*INTACT[:3], INTACT[4], INTACT[3], *INTACT[5:]]
    assert failure(swapped) == "line 5, seq 4: does not come after seq 5"
    assert failure([*INTACT[:2], INTACT[1]]) == "line 3, seq 2: does not come after seq 2"
    assert "does not come after" in failure(text([seal(msgspec.structs.replace(TEN[0], seq=0))]))


def test_a_line_of_another_company_is_detected() -> None:
    assert failure([INTACT[0], *text(chain(2, "other"))[1:]]) == (
        "line 2, seq 2: belongs to another company than the line before"
    )


MALFORMED = (
    b"{}\n", b"[]\n", b"\xff\n", b"no json\n", b'{"seq":1}\n', b"[" * 100_000,
    INTACT[0][:-2] + b',"x":1}\n',
)  # fmt: skip


@pytest.mark.parametrize("line", MALFORMED)
def test_a_malformed_line_is_reported(line: bytes) -> None:
    assert failure([*INTACT[:2], line]) == "line 3: not a line of an export"


def test_a_repeated_field_is_refused() -> None:
    doubled = INTACT[0].replace(b'{"org_id"', b'{"action":"another","org_id"')
    assert failure([doubled]) == "line 1, seq 1: not formatted as the server writes it"


# Saved heads


def test_a_truncated_chain_is_detected_by_a_saved_head() -> None:
    assert verify(INTACT[:8])
    assert failure(INTACT[:8], heads(TEN[9])) == "line 8, seq 8: the export ends here, but a saved head has seq 10"
    assert failure([], heads(TEN[9])) == "line 0, seq 0: the export ends here, but a saved head has seq 10"


def test_a_rewritten_chain_is_detected_by_a_saved_head() -> None:
    rewritten = text(chain(10, detail="{}"))
    assert verify(rewritten, complete=True)
    message = "its hash, or the previous one, differs from the saved head"
    assert failure(rewritten, heads(TEN[4])) == f"line 5, seq 5: {message}"
    assert failure(rewritten[5:], heads(TEN[4])) == f"line 1, seq 6: {message}"
    assert failure(INTACT, [*heads(TEN[4]), ChainHead("o", 5, "ab" * 32)]) == f"line 5, seq 5: {message}"


def test_a_head_of_another_company_is_reported_as_unused() -> None:
    assert verify(INTACT, heads(*chain(12, "other"))).endswith("; no saved head for this chain")


def test_heads_are_parsed_from_command_output_and_from_logs() -> None:
    head, own = ChainHead("o", 7, "ab" * 32), ChainHead("", 3, "cd" * 32)
    log = f'2026-03-01T12:00:00.000Z info logger=teamspace.audit message="audit head org=o seq=7 hash={"ab" * 32}"'
    json = f'{{"level":"info","message":"audit head org=- seq=3 hash={"cd" * 32}"}}'
    assert parse_heads([str(head), "", str(own), log, json]) == [head, own, head, own]
    for wrong in ("o 7", f"o x {'ab' * 32}", "o 7 abc", "# a remark"):
        with pytest.raises(ValueError, match="line 2 is not an audit head"):
            parse_heads([str(head), wrong])


# The command


def test_the_command_exits_with_0_1_or_2_and_one_line(run_audit: RunAudit, tmp_path: Path) -> None:
    intact, truncated, saved, wrong = (tmp_path / name for name in ("intact", "truncated", "saved", "wrong"))
    intact.write_bytes(b"".join(INTACT))
    truncated.write_bytes(b"".join(INTACT[:-1]))
    saved.write_text(f"{ChainHead('o', 10, TEN[-1].hash)}\n")
    wrong.write_text("no head\n")
    assert run_audit("verify", str(intact), "--heads", str(saved), "--whole").status == 0
    assert run_audit("verify", "-", "--heads", str(saved), stdin=intact.read_bytes()).status == 0
    result = run_audit("verify", str(truncated), "--heads", str(saved))
    assert (result.status, result.err) == (1, "")
    assert result.out == "broken: line 9, seq 9: the export ends here, but a saved head has seq 10\n"
    for unreadable in (
        ("none",),
        (str(tmp_path),),
        (str(intact), "--heads", "none"),
        (str(intact), "--heads", str(wrong)),
    ):
        result = run_audit("verify", *unreadable)
        assert (result.status, result.out) == (2, "")
        assert result.err.startswith("teamspace: cannot read ") and result.err.count("\n") == 1
