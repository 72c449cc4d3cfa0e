"""Who is told who is present: those who can read the thing. Its package says who that is."""

from teamspace import conversations, events, notes, repository, workflows

SUBJECTS = tuple(
    events.EventSubject(f"{subject.kind}_presence", subject.permission, subject.fences)
    for subject in (*notes.SUBJECTS, *repository.SUBJECTS, *conversations.SUBJECTS, workflows.RUN)
)
