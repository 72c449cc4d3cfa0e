/** A workflow by its title, as in all other places; by its slug as long as the title is not known. */

import { Link } from "@tanstack/react-router";

import { useWorkflowTitle } from "../queries";

export function WorkflowLink({ slug }: { slug: string }) {
  const title = useWorkflowTitle(slug);
  return (
    <Link to="/workflows/spec/$slug" params={{ slug }}>
      {title}
    </Link>
  );
}
