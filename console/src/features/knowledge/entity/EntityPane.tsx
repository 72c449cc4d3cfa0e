/** The page of an entity: loads it and shows errors. */

import { BackToList } from "@/ui/panes/BackToList";
import { Failed } from "@/ui/states";
import { PageSkeleton } from "@/ui/writing/PageSkeleton";

import { useEntity } from "../queries";
import { OpenEntity } from "./OpenEntity";

export function EntityPane({ id }: { id: string }) {
  const entity = useEntity(id);
  if (entity.data) return <OpenEntity entity={entity.data} pages={entity} />;
  if (entity.isPending) return <PageSkeleton back={<BackToList to="/graph" />} />;
  return (
    <>
      <BackToList to="/graph" />
      <Failed error={entity.error} again={() => void entity.refetch()} />
    </>
  );
}
