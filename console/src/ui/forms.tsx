/** Forms: field errors from the server appear at the field, other errors above the buttons. */

import { Alert } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { Suspense, useState } from "react";

import { Refusal } from "@/api/client";
import { t } from "@/i18n";

import { lazily } from "./lazily";
import { fullQuotaOf } from "./quotaWords";
import { RequestId } from "./states";

// It has a link, which needs a router: before sign-in there is none, and no quota.
const QuotaRefused = lazily(() => import("./QuotaRefused"));

export interface Sending<Values extends Record<string, unknown>> {
  form: UseFormReturnType<Values>;
  sending: boolean;
  fault: unknown;
  /** For the form's onSubmit. */
  submit: (event?: React.FormEvent<HTMLFormElement>) => void;
}

export function useSending<Values extends Record<string, unknown>>(
  initialValues: Values,
  send: (values: Values) => Promise<void>,
): Sending<Values> {
  const form = useForm<Values>({ initialValues });
  const [sending, setSending] = useState(false);
  const [fault, setFault] = useState<unknown>(null);

  async function deliver(values: Values): Promise<void> {
    setSending(true);
    setFault(null);
    try {
      await send(values);
    } catch (refusal) {
      setFault(refusal);
      if (refusal instanceof Refusal) {
        for (const name of Object.keys(values)) {
          const message = refusal.field(name);
          if (message) form.setFieldError(name, message);
        }
      }
    } finally {
      setSending(false);
    }
  }

  return { form, sending, fault, submit: form.onSubmit((values) => void deliver(values)) };
}

/** The error, unless a field shows it already. */
export function Fault({ fault, fields = [], about }: { fault: unknown; fields?: readonly string[]; about?: string }) {
  if (!fault) return null;
  const refusal = fault instanceof Refusal ? fault : undefined;
  if (refusal && fields.some((name) => refusal.field(name))) return null;
  const quota = fullQuotaOf(refusal);
  if (quota) {
    return (
      <Suspense>
        <QuotaRefused quota={quota} />
      </Suspense>
    );
  }
  return (
    <Alert color="danger" role="alert" title={refusal?.problem.title ?? t("state.failed")}>
      {about && <strong>{about}: </strong>}
      {refusal?.message ?? t("state.failed.unknown")}
      {refusal?.requestId && refusal.status >= 500 && <RequestId id={refusal.requestId} code={refusal.code} />}
    </Alert>
  );
}
