"""A valid request for every route and S3 operation, into which hostile text is put.

A test fails for a route or S3 operation without an entry here.
"""

from typing import Any

import msgspec

from tests.branding.help import encoded, picture
from tests.support.world import PASSWORD


class Entry(msgspec.Struct, frozen=True):
    body: dict[str, Any] | None = None
    """A valid body; each of its text fields is replaced in turn."""
    about: str = ""
    """What the path refers to; see `ids` of the test."""
    who: str = "ann"
    query: dict[str, str] = {}
    refused: bool = False
    """Even the valid body is refused: its URL would have to be called."""


_LIMIT = {"dimension": "ai.requests", "limit": 5, "window": "day"}
_OWNER = {"username": "somebody", "password": PASSWORD}
_BRANDING = {"title": "Title"}
_LOGO = {"data": encoded(picture())}
_GRANT = {"principal_type": "user", "principal_id": "x", "capability": "view"}
_EXECUTOR = {"name": "Executor", "mode": "push", "url": "https://models.example.com/v1", "model": "m"}
_TRIGGER = {"workflow_slug": "file", "match_prefix": "inbox/", "match_types": ["image/*"], "input": {}}
_TEXT = {"title": "Title", "body": "Text"}

_SPEC = {
    "slug": "cost", "title": "Title", "description": "Text", "start": "find", "max_steps": 5,
    "inputs": {"text": {"type": "string", "description": "Text"}},
    "steps": [{"id": "find", "kind": "tool", "tool": "search", "with": {"q": {"$ref": "input.text"}}}],
}  # fmt: skip

# fmt: off
ROUTES: dict[str, Entry] = {
    "GET /":                                Entry(),
    "GET /index.html":                      Entry(),
    "GET /login":                           Entry(),
    "GET /activate":                        Entry(),
    "GET /app/*page":                       Entry(about="page"),
    "GET /frame":                           Entry(),
    "GET /assets/*path":                    Entry(about="page"),
    "GET /health":                          Entry(),
    "GET /ready":                           Entry(),
    "GET /api/config":                      Entry(),
    "GET /api/openapi.json":                Entry(),
    "GET /api/docs":                        Entry(),
    "GET /api/i18n/catalog":                Entry(),
    "GET /api/l10n/coverage":               Entry(),
    "GET /api/l10n/messages":               Entry(query={"locale": "de", "q": "x"}),
    "PUT /api/l10n/messages/:id":           Entry({"text": "Notizen"}, about="console_text"),
    "POST /api/l10n/review/:id":            Entry({"decision": "return", "note": "x"}, about="console_text"),
    "POST /api/l10n/discard":               Entry({"locale": "de"}),
    "GET /api/branding":                    Entry(),
    "PUT /api/branding":                    Entry(_BRANDING),
    "POST /api/branding/logo":              Entry(_LOGO),
    "GET /api/org/branding":                Entry(),
    "PUT /api/org/branding":                Entry(_BRANDING),
    "DELETE /api/org/branding":             Entry(),
    "POST /api/org/branding/logo":          Entry(_LOGO),
    "POST /api/bootstrap":                  Entry(_OWNER, who="anonymous"),
    "POST /api/provision":                  Entry({"username": "somebody"}, who="host"),
    "POST /api/instance/suspend":           Entry(who="host"),
    "POST /api/instance/resume":            Entry(who="host"),
    "POST /api/instance/quota":             Entry(_LIMIT, who="host"),
    "POST /api/activate":                   Entry({"token": "x", "password": PASSWORD}, who="anonymous"),
    "POST /api/login":                      Entry(_OWNER, who="anonymous"),
    "POST /api/logout":                     Entry(who="anonymous"),
    "GET /api/whoami":                      Entry(),
    "POST /api/profile":                    Entry({"locale": "en"}),
    "POST /api/password":                   Entry({"current_password": PASSWORD, "new_password": PASSWORD}),
    "GET /api/sessions":                    Entry(),
    "DELETE /api/sessions/:id":             Entry(about="nothing"),
    "POST /api/2fa/enable":                 Entry({"confirm": False}),
    "POST /api/2fa/recovery-codes":         Entry(),
    "GET /api/2fa/recovery-codes":          Entry(),
    "DELETE /api/2fa":                      Entry({"password": PASSWORD}),
    "DELETE /api/admin/users/:id/2fa":      Entry(about="nothing"),
    "PATCH /api/admin/users/:id":           Entry({"disabled": True}, about="nothing"),
    "POST /api/members":                    Entry({"username": "somebody", "role": "guest"}),
    "GET /api/members":                     Entry(),
    "GET /api/contacts":                    Entry(),
    "GET /api/events":                      Entry(),
    "PATCH /api/members/:id":               Entry({"role": "guest"}, about="nothing"),
    "DELETE /api/members/:id":              Entry(about="nothing"),
    "POST /api/members/:id/transfer":       Entry({"to": "x"}, about="nothing"),
    "GET /api/admin/status":                Entry(),
    "GET /api/metrics":                     Entry(),
    "POST /api/admin/seed":                 Entry(),
    "POST /api/admin/seed-tenants":         Entry(),
    "POST /api/orgs":                       Entry({"name": "Company", "owner": _OWNER}),
    "GET /api/orgs":                        Entry(),
    "GET /api/orgs/:ref":                   Entry(about="org"),
    "PATCH /api/orgs/:ref":                 Entry({"plan": "pro"}, about="org"),
    "POST /api/orgs/:ref/suspend":          Entry(about="nothing"),
    "POST /api/orgs/:ref/resume":           Entry(about="nothing"),
    "POST /api/orgs/:ref/quota":            Entry(_LIMIT, about="org"),
    "GET /api/org":                         Entry(),
    "GET /api/org/teams":                   Entry(),
    "POST /api/org/teams":                  Entry({"name": "Team"}),
    "POST /api/org/members":                Entry({"username": "somebody", "role": "guest", "team_id": "x"}),
    "PATCH /api/org/members/:id":           Entry({"org_role": None}, about="nothing"),
    "GET /api/audit":                       Entry(),
    "GET /api/org/audit":                   Entry(),
    "POST /api/ai/echo":                    Entry({"prompt": "Hello"}),
    "POST /api/ai/chat":                    Entry({"prompt": "Hello"}),
    "POST /api/ai/chat/stream":             Entry({"prompt": "Hello"}),
    "DELETE /api/ai/chat/stream/:id":       Entry(),
    "POST /api/agent":                      Entry({"prompt": "Hello"}),
    "POST /api/jobs":                       Entry({"kind": "ai.chat", "input": {"prompt": "Hello"}}),
    "POST /api/workflows":                  Entry(_SPEC),
    "GET /api/workflows":                   Entry(),
    "GET /api/workflows/schema":            Entry(),
    "GET /api/workflows/:slug":             Entry(about="nothing"),
    "POST /api/workflows/:slug/run":        Entry({"input": {"text": "Hello"}}, about="workflow"),
    "GET /api/runs":                        Entry(),
    "GET /api/runs/:id":                    Entry(about="run"),
    "POST /api/runs/:id/cancel":            Entry(about="nothing"),
    "GET /api/jobs":                        Entry(),
    "GET /api/jobs/:id":                    Entry(about="job"),
    "POST /api/jobs/:id/cancel":            Entry(about="nothing"),
    "GET /api/doc-triggers":                Entry(query={"key": "inbox/a.png"}),
    "POST /api/doc-triggers":               Entry(_TRIGGER),
    "GET /api/doc-triggers/:id":            Entry(about="trigger"),
    "PATCH /api/doc-triggers/:id":          Entry(_TRIGGER, about="trigger"),
    "DELETE /api/doc-triggers/:id":         Entry(about="nothing"),
    "GET /api/executors":                   Entry(),
    "POST /api/executors":                  Entry(_EXECUTOR, refused=True),
    "DELETE /api/executors/:id":            Entry(about="nothing"),
    "POST /api/org/executors":              Entry(_EXECUTOR, refused=True),
    "GET /api/model-roles":                 Entry(),
    "PUT /api/model-roles":                 Entry({"roles": {"chat": "local"}}),
    "GET /api/ai/model":                    Entry(),
    "POST /api/workers/claim":              Entry({"max_wait": 0}, who="worker"),
    "POST /api/workers/jobs/:id/heartbeat": Entry({"claim_token": "x"}, about="job", who="worker"),
    "POST /api/workers/jobs/:id/complete":  Entry({"result": {}, "claim_token": "x"}, about="job", who="worker"),
    "POST /api/workers/jobs/:id/fail":      Entry({"error": "no", "claim_token": "x"}, about="job", who="worker"),
    "POST /api/translate/catalog":          Entry({"catalog": {"a": "Hello"}, "target": "de", "source": "en"}),
    "POST /api/translate":                  Entry({"text": "Hello", "target": "de", "source": "en"}),
    "GET /api/translate":                   Entry(),
    "POST /api/glossary":                   Entry({"term": "file", "target": "de", "translation": "Datei", "forbidden": ["Akte"], "note": "x"}),
    "GET /api/glossary":                    Entry(),
    "POST /v1/chat/completions":            Entry({"model": "default", "messages": [{"role": "user", "content": "Hello"}]}),
    "GET /v1/models":                       Entry(),
    "POST /mcp":                            Entry({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"q": "x"}}}),
    "GET /api/mcp":                         Entry(),
    "GET /api/usage":                       Entry(),
    "POST /api/quota":                      Entry(_LIMIT),
    "GET /api/features":                    Entry(),
    "GET /api/plugins":                     Entry(),
    "GET /api/oop":                         Entry(),
    "PUT /api/oop/:id/grants":              Entry({"capabilities": ["kv"]}, about="nothing"),
    "GET /beta/bundle/:plugin/*path":       Entry(about="page"),
    "GET /api/x/:plugin/bundle/*path":      Entry(about="page"),
    "GET /api/x/example-tools/word-count":  Entry(query={"text": "Hello"}),
    "POST /api/x/example-tools/word-count": Entry({"text": "Hello"}),
    "GET /api/x/integrator-demo/eta":       Entry(query={"lane": "a-b"}),
    "POST /api/x/integrator-demo/eta":      Entry({"lane": "a-b"}),
    "GET /api/tools":                       Entry(),
    "POST /api/tools/:name":                Entry({"enabled": True}, about="nothing"),
    "POST /api/features/:name":             Entry({"enabled": True}, about="nothing"),
    "POST /api/tokens":                     Entry({"name": "Token", "scope": ["notes:read"]}),
    "GET /api/tokens":                      Entry(),
    "DELETE /api/tokens/:id":               Entry(about="nothing"),
    "GET /api/s3/credentials":              Entry(),
    "POST /api/s3/credentials":             Entry({"name": "Key"}),
    "DELETE /api/s3/credentials/:id":       Entry(about="nothing"),
    "GET /api/kg/entities":                 Entry(query={"q": "x"}),
    "GET /api/kg/entities/:id":             Entry(about="nothing"),
    "POST /api/kg/extract":                 Entry(),
    "POST /api/kg/entities/:id/merge":      Entry({"into": "x"}, about="nothing"),
    "POST /api/kg/entities/:id/split":      Entry({"mentions": ["x"], "name": "Name"}, about="nothing"),
    "POST /api/notes":                      Entry({**_TEXT, "tags": ["tag"]}),
    "GET /api/notes":                       Entry(),
    "GET /api/notes/:id":                   Entry(about="note"),
    "PUT /api/notes/:id":                   Entry({**_TEXT, "tags": ["tag"]}, about="note"),
    "DELETE /api/notes/:id":                Entry(about="nothing"),
    "POST /api/conversations":              Entry({"title": "Title"}),
    "GET /api/conversations":               Entry(),
    "GET /api/conversations/:id":           Entry(about="conversation"),
    "PATCH /api/conversations/:id":         Entry({"title": "Title"}, about="conversation"),
    "DELETE /api/conversations/:id":        Entry(about="nothing"),
    "POST /api/conversations/:id/share":    Entry({"user_id": "x", "permission": "notes:read"}, about="conversation"),
    "POST /api/notes/:id/share":            Entry({"user_id": "x", "permission": "notes:read"}, about="note"),
    "POST /api/documents":                  Entry(_TEXT),
    "GET /api/documents":                   Entry(),
    "GET /api/documents/:id":               Entry(about="document"),
    "PUT /api/documents/:id":               Entry(_TEXT, about="document"),
    "DELETE /api/documents/:id":            Entry(about="nothing"),
    "GET /api/repo":                        Entry(),
    "PUT /api/repo/*key":                   Entry(about="key"),
    "GET /api/repo-obj/:id":                Entry(about="object"),
    "DELETE /api/repo-obj/:id":             Entry(about="nothing"),
    "GET /api/repo-obj/:id/content":        Entry(about="object"),
    "POST /api/repo-obj/:id/presign":       Entry({}, about="object"),
    "POST /api/repo-obj/:id/share":         Entry(_GRANT, about="object"),
    "POST /api/repo-obj/:id/unshare":       Entry({"principal_type": "user", "principal_id": "x"}, about="object"),
    "GET /api/repo-obj/:id/grants":         Entry(about="object"),
    "POST /api/repo-obj/:id/visibility":    Entry({"visibility": "private"}, about="object"),
    "GET /api/repo-obj/:id/derivations":    Entry(about="object"),
    "GET /api/repo-obj/:id/processing":     Entry(about="object"),
    "GET /api/share-targets":               Entry(),
    "GET /api/search":                      Entry(query={"q": "plan"}),
}

XML, BYTES = "xml", "bytes"
S3_OPERATIONS: dict[str, str] = {
    "ListBuckets": "", "ListObjects": "", "ListObjectsV2": "", "ListObjectVersions": "", "ListMultipartUploads": "",
    "GetBucketLocation": "", "GetBucketVersioning": "", "GetBucketAcl": "", "HeadBucket": "", "CreateBucket": XML,
    "PutBucketVersioning": XML, "PutBucketAcl": XML, "DeleteBucket": "", "DeleteObjects": XML, "GetObject": "",
    "HeadObject": "", "PutObject": BYTES, "CopyObject": "", "DeleteObject": "", "GetObjectAttributes": "",
    "GetObjectTagging": "", "PutObjectTagging": XML, "DeleteObjectTagging": "", "GetObjectAcl": "", "PutObjectAcl": XML,
    "CreateMultipartUpload": "", "UploadPart": BYTES, "UploadPartCopy": "", "ListParts": "",
    "CompleteMultipartUpload": XML, "AbortMultipartUpload": "", "GetBucketAccelerateConfiguration": "",
    "GetBucketCors": "", "GetBucketEncryption": "", "GetBucketLifecycleConfiguration": "", "GetBucketLogging": "",
    "GetBucketNotificationConfiguration": "", "GetObjectLockConfiguration": "", "GetBucketOwnershipControls": "",
    "GetBucketPolicy": "", "GetBucketPolicyStatus": "", "GetPublicAccessBlock": "", "GetBucketReplication": "",
    "GetBucketRequestPayment": "", "GetBucketTagging": "", "GetBucketWebsite": "",
}
"""Every S3 operation and the type of its body."""
# fmt: on
