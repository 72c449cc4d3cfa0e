/** How a file came about and what was made from it; its code is loaded when it's first shown. */

import { Suspense, type ComponentProps } from "react";

import { lazily } from "@/ui/lazily";
import { Loading } from "@/ui/states";

const ProcessingView = lazily(() => import("./ProcessingView"));

export function Processing(props: ComponentProps<typeof ProcessingView>) {
  return (
    <Suspense fallback={<Loading />}>
      <ProcessingView {...props} />
    </Suspense>
  );
}
