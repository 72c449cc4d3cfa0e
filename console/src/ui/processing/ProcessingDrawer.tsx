/** Processing of a file in a panel that slides in. */

import { Drawer } from "@mantine/core";

import { t } from "@/i18n";
import { useFocusBack } from "@/ui/Dialog";

import { Processing } from "./Processing";
import styles from "./Processing.module.css";
import type { Subject } from "./shapes";

export function ProcessingDrawer({ subject, onClose }: { subject: Subject; onClose: () => void }) {
  useFocusBack();
  return (
    <Drawer
      opened
      onClose={onClose}
      title={t("processing.title")}
      position="right"
      size="min(720px, 100%)"
      closeButtonProps={{ "aria-label": t("action.close") }}
      returnFocus={false}
      transitionProps={{ duration: 120 }}
      classNames={{ content: styles.drawer, header: styles.drawer, title: styles.title }}
    >
      <Processing subject={subject} withText />
    </Drawer>
  );
}
