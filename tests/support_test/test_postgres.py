import asyncpg
import pytest

from tests.support.postgres import Postgres, create_database, drop_database


async def test_committed_rows_survive_a_crash() -> None:
    with Postgres.start(fsync=True) as server:
        before = await asyncpg.connect(server.create_database("before"))
        await before.execute("CREATE TABLE kept AS SELECT generate_series(1, 100)")
        server.kill()
        server.restart()
        after = await asyncpg.connect(server.create_database("after", template="before"))
        assert await after.fetchval("SELECT count(*) FROM kept") == 100
        await after.close()
    assert not server.folder.exists()


async def test_a_database_with_open_connections_can_be_dropped(postgres_url: str) -> None:
    name = 'an odd "name"'
    url = create_database(postgres_url, name)
    await asyncpg.connect(url)
    drop_database(postgres_url, name)
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await asyncpg.connect(url)
