/** Toasts. What shows them comes with the first; until then they wait in the store. */

import { useNotifications } from "@mantine/notifications";
import { Suspense, useState } from "react";

import { lazily } from "@/ui/lazily";

const ToastStack = lazily(() => import("./ToastStack"));

export function Toasts() {
  const { notifications } = useNotifications();
  const [wanted, setWanted] = useState(false);
  if (notifications.length > 0 && !wanted) setWanted(true);
  if (!wanted) return null;
  return (
    <Suspense>
      <ToastStack />
    </Suspense>
  );
}
