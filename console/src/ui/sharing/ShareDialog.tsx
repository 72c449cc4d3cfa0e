/** Share dialog of any item, and the same as a tab of its inspector. */

import { Suspense } from "react";

import { t } from "@/i18n";
import { Dialog } from "@/ui/Dialog";
import type { InspectorTab } from "@/ui/inspector/tabs";
import { lazily } from "@/ui/lazily";

import type { Shared } from "./Sharing";
import { SharingSkeleton } from "./SharingSkeleton";

const Sharing = lazily<Shared>(() => import("./Sharing"));

interface Props extends Shared {
  title: string;
  onClose: () => void;
}

export function ShareDialog({ title, onClose, ...item }: Props) {
  return (
    <Dialog title={t("sharing.title", { title })} wide onClose={onClose}>
      <Body {...item} />
    </Dialog>
  );
}

export function sharingTab(item: Shared): InspectorTab {
  return { name: "sharing", title: t("sharing.tab"), content: () => <Body {...item} /> };
}

function Body(item: Shared) {
  return (
    <Suspense fallback={<SharingSkeleton />}>
      <Sharing {...item} />
    </Suspense>
  );
}
