/** Steps of a spec from top to bottom. */

import { expect, test } from "vitest";

import { layOut, type Node } from "./layout";
import { specOf } from "./shapes";

type Row = [id: string, then?: string, otherwise?: string] | [id: string, end: true];

function drawn(rows: Row[], start?: string) {
  const steps = rows.map(([id, then, otherwise]) =>
    typeof then === "string" ? { id, kind: "choice", when: {}, then, else: otherwise } : { id, kind: "tool", tool: "search", end: then },
  );
  const { nodes, unreached } = layOut(specOf({ steps, start })!);
  return { nodes: nodes.map(short), unreached: unreached.map((step) => step.id) };
}

function short(node: Node): unknown {
  if (node.type === "jump") return node.known ? `> ${node.to}` : `? ${node.to}`;
  if (node.type === "step") return node.ends ? `${node.step.id}.` : node.step.id;
  return { [node.step.id]: [node.then.map(short), node.otherwise.map(short)] };
}

test("steps follow each other until the end", () => {
  expect(drawn([["a"], ["b"], ["c"]])).toEqual({ nodes: ["a", "b", "c."], unreached: [] });
});

test("branches that never meet each have their own end", () => {
  expect(drawn([["ask", "yes", "no"], ["no", true], ["yes", true]]).nodes).toEqual([{ ask: [["yes."], ["no."]] }]);
});

test("branches that meet go on together, and one may be empty", () => {
  expect(drawn([["ask", "yes", "no"], ["yes"], ["no"], ["last"]]).nodes).toEqual([{ ask: [["yes"], []] }, "no", "last."]);
  expect(drawn([["ask", "yes", "last"], ["yes"], ["last"]]).nodes).toEqual([{ ask: [["yes"], []] }, "last."]);
});

test("a choice within a branch stays in it", () => {
  const { nodes } = drawn([["a", "b", "e"], ["b", "c", "d"], ["c", true], ["d", true], ["e"]]);
  expect(nodes).toEqual([{ a: [[{ b: [["c."], ["d."]] }], ["e."]] }]);
});

test("a step that two branches share, but not all, is drawn once", () => {
  const { nodes } = drawn([["a", "b", "d"], ["b", "c", "d"], ["c", true], ["d"]]);
  expect(nodes).toEqual([{ a: [[{ b: [["c."], ["d."]] }], ["> d"]] }]);
});

test("what isn't there or can't be reached is told, and a way back doesn't go round", () => {
  expect(drawn([["a", "z", "b"], ["b", true], ["c"]])).toEqual({ nodes: [{ a: [["? z"], ["b."]] }], unreached: ["c"] });
  expect(drawn([["a"], ["b", "a", "a"]]).nodes).toEqual(["a", { b: [["> a"], ["> a"]] }]);
  expect(drawn([["a"]], "nowhere")).toEqual({ nodes: ["? nowhere"], unreached: ["a"] });
});

test("the largest spec of nested choices is laid out", () => {
  const rows = Array.from({ length: 99 }, (_, place): Row => [`s${place}`, `s${place + 1}`, "s99"]);
  expect(drawn([...rows, ["s99"]]).unreached).toEqual([]);
});

test("what isn't a spec yet is drawn as far as it goes", () => {
  expect(specOf([])).toBeNull();
  expect(specOf({ steps: [{ id: "a" }, 3, { id: "b", kind: "map", over: [1] }], inputs: { x: { type: "moon" }, y: { type: "array" } } })).toMatchObject({
    start: "b", inputs: [["y", { type: "array" }]], steps: [{ id: "b", kind: "map", tool: "" }],
  });
});
