/** Layout of both executor screens. */

import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { t } from "@/i18n";
import { Page } from "@/ui/Page";

import { setting } from "./openings";

export function ExecutorsPage({ intro, children }: { intro: string; children: ReactNode }) {
  return (
    <Page
      title={t("executors.title")}
      intro={intro}
      actions={
        <Button leftSection={<IconPlus aria-hidden size={16} />} onClick={setting.open}>
          {t("executors.new")}
        </Button>
      }
    >
      {children}
    </Page>
  );
}
