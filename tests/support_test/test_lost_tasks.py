"""A task that fails unnoticed fails the test."""

import asyncio
import gc


async def _read_in_vain() -> None:
    raise ConnectionError


async def test_a_task_whose_exception_nobody_retrieves_is_named(no_lost_tasks: list[str]) -> None:
    asyncio.create_task(_read_in_vain())  # noqa: RUF006
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    gc.collect()
    (message,) = no_lost_tasks
    assert "_read_in_vain" in message
    no_lost_tasks.clear()


async def test_a_task_whose_exception_is_retrieved_is_not(no_lost_tasks: list[str]) -> None:
    task = asyncio.create_task(_read_in_vain())
    await asyncio.wait([task])
    assert isinstance(task.exception(), ConnectionError)
    del task
    gc.collect()
    assert no_lost_tasks == []
