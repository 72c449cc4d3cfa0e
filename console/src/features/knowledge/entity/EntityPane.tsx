/** The page of an entity: loads it and shows errors. */

import { t } from "@/i18n";
import { MissingItem } from "@/ui/MissingItem";
import { BackToList } from "@/ui/panes/BackToList";
import { PageSkeleton } from "@/ui/writing/PageSkeleton";

import { useEntity } from "../queries";
import { OpenEntity } from "./OpenEntity";

export function EntityPane({ id }: { id: string }) {
  const entity = useEntity(id);
  if (entity.data) return <OpenEntity entity={entity.data} pages={entity} />;
  if (entity.isPending) return <PageSkeleton back={<BackToList to="/graph" />} />;
  return <MissingItem error={entity.error} again={() => void entity.refetch()} list="/graph" title={t("graph.title")} />;
}
