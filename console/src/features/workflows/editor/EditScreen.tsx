/** Edits a workflow: publishing makes its next version. */

import { useParams } from "@tanstack/react-router";

import { t } from "@/i18n";
import { Failed, Loading } from "@/ui/states";

import { Item } from "../Area";
import { useDefinition } from "../queries";
import { titleOf } from "../words";
import { Editor } from "./Editor";
import { written } from "./templates";

export default function EditScreen() {
  const { slug } = useParams({ strict: false }) as { slug: string };
  const definition = useDefinition(slug);
  const { data } = definition;
  if (data) return <Editor key={slug} title={t("workflows.edit", { title: titleOf(data) })} place={slug} original={written(data.spec)} version={data.version} />;
  return (
    <Item back="/workflows" title={slug}>
      {definition.isPending ? <Loading /> : <Failed error={definition.error} again={() => void definition.refetch()} />}
    </Item>
  );
}
