/** Audit actions the console has labels for. Others are shown and found by their code. */

export const ACTIONS = [
  "note.create", "note.update", "note.delete", "note.share", "note.unshare", "note.restore", "note.purge",
  "conversation.create", "conversation.update", "conversation.delete", "conversation.share", "conversation.unshare",
  "object.create", "object.update", "object.delete", "object.share", "object.unshare", "object.set_visibility", "object.restore", "object.purge",
  "link.create", "link.update", "link.revoke", "link.use",
  "translation.create",
  "trigger.create", "trigger.update", "trigger.delete",
  "asset.create", "asset.delete",
  "experience.update", "experience.publish",
  "prospect.create", "prospect.accept", "prospect.decline", "prospect.delete", "prospect.expire", "prospect.judge",
  "glossary.set", "glossary.delete",
  "l10n.submit", "l10n.approve", "l10n.return", "l10n.discard", "l10n.import", "l10n.export", "l10n.draft", "l10n.store_drafts", "l10n.set_policy",
  "entity.merge", "entity.split", "knowledge.extract",
  "job.enqueue", "job.cancel", "job.complete", "job.fail",
  "workflow.publish", "run.start", "run.cancel",
  "ai.call", "ai.stop", "ai.echo",
  "executor.create", "executor.retire", "executor.choose",
  "member.add", "member.set_role", "member.remove", "member.transfer",
  "session.open", "session.resume", "session.end", "session.refuse", "session.revoke_stolen",
  "request.refuse",
  "token.create", "token.revoke",
  "access_key.create", "access_key.revoke",
  "object.move", "object.remove", "object.drop_version", "object.tag", "object.name_version", "object.confirm",
  "upload.begin", "upload.add_part", "upload.abort",
  "totp.prepare", "totp.enable", "totp.disable", "totp.renew_codes", "totp.revoke",
  "password.change",
  "profile.update",
  "account.activate",
  "feature.switch",
  "tool.call", "tool.end", "tool.switch",
  "oop.grant", "oop.set_value", "oop.delete_value",
  "quota.set",
  "branding.update", "branding.set_logo", "branding.delete",
  "team.create",
  "listener.fail",
  "org.create", "org.update", "org.suspend", "org.resume", "org.add_member", "org.set_role",
  "user.create_operator", "user.reset_password", "user.reset_second_factor", "user.invite", "user.disable", "user.enable",
  "tenant.provision", "tenant.suspend", "tenant.resume",
  "instance.bootstrap", "instance.rekey",
] as const; // prettier-ignore

export type KnownAction = (typeof ACTIONS)[number];
export type ActionGroup = KnownAction extends infer A ? (A extends `${infer G}.${string}` ? G : never) : never;

export function isKnown(action: string): action is KnownAction {
  return (ACTIONS as readonly string[]).includes(action);
}

/** `note`, `member`, …, in order. */
export const ACTION_GROUPS = [...new Set(ACTIONS.map((action) => action.split(".")[0]))] as ActionGroup[];
