/** Sets a custom limit: a number per period, 0, or no limit. */

import { Button, NumberInput, Radio, Select } from "@mantine/core";

import { t } from "@/i18n";
import { Dialog, DialogActions } from "@/ui/Dialog";
import { Fault, useSending } from "@/ui/forms";
import { notice } from "@/ui/notice";
import { limitOf, type Quota } from "@/ui/QuotaTable";
import { isStorage } from "@/ui/quotaWords";

import { useLimitCompany, type Company, type Window } from "../queries";
import styles from "./Companies.module.css";
import { GIB, WINDOWS } from "./plans";

const MOST = 1_000_000_000_000_000;

export function LimitDialog({ company, quota, onClose }: { company: Company; quota: Quota; onClose: () => void }) {
  const set = useLimitCompany(company.slug);
  const timed = quota.dimension !== "ai.concurrency" && !isStorage(quota.dimension);
  const unit = quota.dimension === "storage.bytes" ? GIB : 1;
  const what = t(`quotas.dimension.${quota.dimension}`);
  const { form, sending, fault, submit } = useSending(
    { bound: quota.limit === null ? "none" : "some", limit: quota.limit === null ? ("" as number | "") : quota.limit / unit, window: quota.window ?? ("day" as Window | null) },
    async ({ bound, limit, window }) => {
      if (bound === "some" && limit === "") {
        form.setFieldError("limit", t("companies.limits.missing"));
        return;
      }
      const limited = await set.mutateAsync({
        dimension: quota.dimension,
        limit: bound === "none" ? null : Math.round(Number(limit) * unit),
        window: timed ? window : quota.window,
      });
      notice(t("companies.limits.done", { what, limit: limitOf(limited) }));
      onClose();
    },
  );
  const limits = form.values.bound === "some";
  return (
    <Dialog title={t("companies.limits.title", { what, company: company.name })} onClose={onClose}>
      <p className="muted">{t("companies.limits.until")}</p>
      <form onSubmit={submit}>
        <Radio.Group label={t("quotas.column.limit")} labelProps={{ className: "sr-only" }} {...form.getInputProps("bound")}>
          <div className={styles.group}>
            <Radio value="some" label={t("companies.limits.some")} />
            <Radio value="none" label={t("quotas.unlimited")} description={t("companies.limits.none.words")} />
          </div>
        </Radio.Group>
        {limits && (
          <div className={styles.pair}>
            <NumberInput
              label={unit === GIB ? t("companies.limits.gib") : t("quotas.column.limit")}
              description={t("companies.limits.zero")}
              min={0}
              max={MOST / unit}
              allowDecimal={unit === GIB}
              allowNegative={false}
              thousandSeparator
              hideControls
              {...form.getInputProps("limit")}
            />
            {timed && (
              <Select
                label={t("companies.limits.window")}
                description={t("companies.limits.utc")}
                allowDeselect={false}
                data={WINDOWS.map((window) => ({ value: window, label: t(`quotas.window.${window}`) }))}
                {...form.getInputProps("window")}
              />
            )}
          </div>
        )}
        <Fault fault={fault} fields={["limit", "window"]} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={sending}>
            {t("companies.limits.set")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
