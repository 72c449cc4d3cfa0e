/** The steps of a spec from top to bottom, each once: a choice has two branches, which meet again where they can. */

import type { ChoiceStep, Spec, SpecStep } from "./shapes";

export interface StepNode {
  type: "step";
  step: Exclude<SpecStep, ChoiceStep>;
  /** The run ends after it. */
  ends: boolean;
}

export interface ChoiceNode {
  type: "choice";
  step: ChoiceStep;
  then: Node[];
  otherwise: Node[];
}

/** Goes on with a step that is drawn elsewhere, or that doesn't exist. */
export interface JumpNode {
  type: "jump";
  to: string;
  known: boolean;
}

export type Node = StepNode | ChoiceNode | JumpNode;

export interface Layout {
  nodes: Node[];
  /** No way leads to these. */
  unreached: SpecStep[];
}

/** Deeper branches than a person can follow; also a limit for recursion. */
const DEEPEST = 100;

export function layOut(spec: Spec): Layout {
  const walk = new Walk(spec);
  const nodes = walk.from(spec.start, null, 0);
  return { nodes, unreached: spec.steps.filter((step) => !walk.drawn.has(step.id)) };
}

class Walk {
  readonly drawn = new Set<string>();
  readonly #steps = new Map<string, SpecStep>();
  readonly #next = new Map<string, string | null>();
  readonly #meetings: Map<string, string | null>;

  constructor({ steps }: Spec) {
    steps.forEach((step, place) => {
      // The first of two with one name counts.
      if (this.#steps.has(step.id)) return;
      this.#steps.set(step.id, step);
      this.#next.set(step.id, step.end ? null : (steps[place + 1]?.id ?? null));
    });
    this.#meetings = meetingsOf(steps, (step) => this.#waysOf(step));
  }

  #waysOf(step: SpecStep): (string | null)[] {
    return step.kind === "choice" ? [step.then, step.otherwise] : [this.#next.get(step.id) ?? null];
  }

  /** The steps from one on, until another or the end. */
  from(start: string | null, until: string | null, depth: number): Node[] {
    const nodes: Node[] = [];
    let id = start;
    while (id !== null && id !== until) {
      const step = this.#steps.get(id);
      if (!step || this.drawn.has(id) || depth > DEEPEST) {
        nodes.push({ type: "jump", to: id, known: step !== undefined });
        break;
      }
      this.drawn.add(id);
      if (step.kind === "choice") {
        const meeting: string | null = this.#meetings.get(id) ?? until;
        nodes.push({ type: "choice", step, then: this.from(step.then, meeting, depth + 1), otherwise: this.from(step.otherwise, meeting, depth + 1) });
        id = meeting;
      } else {
        const next: string | null = this.#next.get(id) ?? null;
        nodes.push({ type: "step", step, ends: next === null });
        id = next;
      }
    }
    return nodes;
  }
}

/** Where the branches of each choice meet: the first step that all ways from it pass; null if they never do. */
function meetingsOf(steps: readonly SpecStep[], waysOf: (step: SpecStep) => (string | null)[]): Map<string, string | null> {
  const places = new Map(steps.map((step, place) => [step.id, place]));
  // From the last step to the first: what follows is known by then, as ways lead to later steps only.
  const meeting = new Map<string, string | null>();
  for (const step of [...steps].reverse()) {
    const later = waysOf(step).map((way) => (way !== null && (places.get(way) ?? -1) > (places.get(step.id) ?? 0) ? way : null));
    meeting.set(step.id, later.reduce((one, other) => firstCommon(one, other, places, meeting)));
  }
  return meeting;
}

function firstCommon(one: string | null, other: string | null, places: ReadonlyMap<string, number>, meeting: ReadonlyMap<string, string | null>): string | null {
  let [a, b] = [one, other];
  while (a !== b) {
    if (a === null || b === null) return null;
    if ((places.get(a) ?? 0) < (places.get(b) ?? 0)) a = meeting.get(a) ?? null;
    else b = meeting.get(b) ?? null;
  }
  return a;
}
