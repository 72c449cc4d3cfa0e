"""Statements that wait are joined to fewer, and do the same."""

import pytest

from teamspace.core.db import SerializationFailure, Tx
from teamspace.core.db.statements import MAX_ROWS, WaitingStatement, join_rows, join_tables
from teamspace.core.principal import system
from tests.support.world import World

INSERT = "INSERT INTO things (id, value) VALUES (:id, CAST(:value AS TEXT)) ON CONFLICT (id) DO UPDATE SET value = excluded.value"
OTHER = "INSERT INTO others (id) VALUES (:id)"


def row(id: str) -> tuple[str, dict[str, str]]:
    return INSERT, {"value": id.upper(), "id": id}


def test_equal_inserts_become_one_with_several_rows() -> None:
    rows = "VALUES (?, CAST(? AS TEXT)), (?, CAST(? AS TEXT)) ON CONFLICT"
    ((sql, values),) = join_rows([row("a"), row("b")])
    assert rows in sql
    assert values == ["a", "A", "b", "B"]


def test_one_row_stays_as_it_is() -> None:
    assert list(join_rows([row("a"), (OTHER, {"id": "b"})])) == [row("a"), (OTHER, {"id": "b"})]


def test_statements_for_a_table_keep_their_order() -> None:
    delete = ("DELETE FROM things WHERE id = :id", {"id": "a"})
    joined = list(join_rows([row("a"), (OTHER, {"id": "b"}), delete, row("a"), row("c")]))
    of_things = [sql for sql, _ in joined if "things" in sql]
    assert [sql.partition(" ")[0] for sql in of_things] == ["INSERT", "DELETE", "INSERT"]
    assert joined[-1][1] in (["a", "A", "c", "C"], {"id": "b"})


def test_a_statement_with_parameters_after_its_row_is_not_joined() -> None:
    sql = "INSERT INTO things (id) VALUES (:id) ON CONFLICT (id) DO UPDATE SET value = :value"
    assert len(list(join_rows([(sql, {"id": "a", "value": "b"})] * 2))) == 2


def test_an_insert_has_a_limited_number_of_rows() -> None:
    joined = list(join_rows([row(str(number)) for number in range(2 * MAX_ROWS + 1)]))
    assert [len(params) for _, params in joined] == [2 * MAX_ROWS, 2 * MAX_ROWS, 2]


def test_statements_for_different_tables_become_one() -> None:
    delete = ("DELETE FROM things WHERE id = :id", {"id": "c"})
    first, second = join_tables(
        [WaitingStatement(*row("a")), WaitingStatement(OTHER, {"id": "b"}), WaitingStatement(*delete)]
    )
    assert first[0].startswith("WITH s0 AS (INSERT INTO things (id, value) VALUES (:s0_id, CAST(:s0_value AS TEXT))")
    assert first[0].endswith(") INSERT INTO others (id) VALUES (:s1_id)")
    assert first[1] == {"s0_id": "a", "s0_value": "A", "s1_id": "b"}
    assert second == delete


def test_a_statement_that_is_no_plain_write_is_sent_alone() -> None:
    other: tuple[str, dict[str, str]] = ("WITH few AS (SELECT 1) DELETE FROM things", {})
    statements = [(OTHER, {"id": "a"}), other, row("b")]
    assert list(join_tables([WaitingStatement(*each) for each in statements])) == statements


def test_equal_inserts_have_several_rows_in_one_statement_for_postgres() -> None:
    (joined,) = join_tables([WaitingStatement(OTHER, {"id": "a"}), WaitingStatement(OTHER, {"id": "b"})])
    assert joined == ("INSERT INTO others (id) VALUES (:r0_id), (:r1_id)", {"r0_id": "a", "r1_id": "b"})


def test_two_upserts_are_not_joined_since_they_could_be_of_one_row() -> None:
    assert list(join_tables([WaitingStatement(*row("a")), WaitingStatement(*row("a"))])) == [row("a"), row("a")]


def test_only_independent_statements_for_a_table_are_joined() -> None:
    update = "UPDATE others SET value = :value WHERE id = :id"
    params = {"id": "a", "value": "b"}
    assert len(list(join_tables([WaitingStatement(update, params), WaitingStatement(OTHER, {"id": "b"})]))) == 2
    independent = [
        WaitingStatement(update, params, independent=True),
        WaitingStatement(OTHER, {"id": "b"}, independent=True),
    ]
    assert len(list(join_tables(independent))) == 1
    assert len(list(join_tables([*independent, WaitingStatement(update, params, independent=True)]))) == 2, (
        "of one row perhaps"
    )


def test_the_last_statement_ends_with_the_closing_one() -> None:
    closing = ("SELECT :id", {"id": "b"})
    (joined,) = join_tables([WaitingStatement(OTHER, {"id": "a"})], closing)
    sql = "WITH s0 AS (INSERT INTO others (id) VALUES (:s0_id)) SELECT :s1_id"
    assert joined == (sql, {"s0_id": "a", "s1_id": "b"})
    assert list(join_tables([], closing)) == [closing]


async def _texts(world: World) -> list[str]:
    return await world.db.all(str, "SELECT body FROM texts WHERE kind = 'note' ORDER BY id")


async def test_texts_of_one_commit_are_all_found(world: World) -> None:
    ann = await world.bootstrap()
    made = [await ann.post("/api/notes", {"title": f"t{number}", "body": f"word{number}"}) for number in range(3)]
    assert await _texts(world) == ["word0", "word1", "word2"]
    for number, note in enumerate(made):
        found = (await ann.get(f"/api/search?q=word{number}")).json()["items"]
        assert [hit["id"] for hit in found] == [note.json()["id"]]


async def _insert_text(tx: Tx, id: int, ref: str, org_id: str) -> None:
    await tx.defer(
        "INSERT INTO texts (id, kind, ref, org_id, made_by, title, labels, body, title_words, label_words, body_words)"
        " VALUES (:id, 'note', :ref, :org_id, 1, '', '', '', '', '', '')",
        id=id, ref=ref, org_id=org_id,
    )  # fmt: skip


async def test_an_id_that_another_server_used_first_repeats_the_write(world: World, database_url: str) -> None:
    if not database_url:
        pytest.skip("on SQLite there is no other server")
    org, _ = await world.company()
    async with world.db.maintenance(system()) as tx:
        await _insert_text(tx, 7, "a", org.id)
    with pytest.raises(SerializationFailure):
        async with world.db.maintenance(system()) as tx:
            await _insert_text(tx, 7, "b", org.id)
