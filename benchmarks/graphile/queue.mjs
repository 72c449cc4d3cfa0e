// Graphile Worker behind the verbs of benchmarks/queues/side.py.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { createInterface } from "node:readline/promises";

const TEAMS = 20;
const TICK_MS = 5;
const WARM_UP = 10;
const CONCURRENCY = 24;

const connectionString = process.env.BENCHMARK_URL;
const logger = new Logger(() => () => {});
const payload = (number) => ({ team: number % TEAMS });
const seconds = () => Number(process.hrtime.bigint()) / 1e9;
const cpu = () => Object.values(process.cpuUsage()).reduce((sum, used) => sum + used, 0) / 1e6;

async function connected(maxPoolSize, action) {
  const utils = await makeWorkerUtils({ connectionString, maxPoolSize, logger });
  try {
    await action(utils);
  } finally {
    await utils.release();
  }
}

async function prepare(utils, jobs) {
  await utils.migrate();
  const specs = Array.from({ length: jobs }, (_, number) => ({ identifier: "nothing", payload: payload(number) }));
  if (jobs) await utils.addJobs(specs);
}

async function putAll(utils, jobs, clients) {
  let next = 0;
  const client = async () => {
    while (next < jobs) await utils.addJob("nothing", payload(next++));
  };
  await Promise.all(Array.from({ length: clients }, client));
}

async function enqueue(utils, jobs, clients) {
  await putAll(utils, Math.max(Math.floor(jobs / WARM_UP), clients), clients);
  const [began, used] = [seconds(), cpu()];
  await putAll(utils, jobs, clients);
  console.log(JSON.stringify({ seconds: seconds() - began, cpu: cpu() - used }));
}

async function work() {
  let [done, first, told] = [0, 0, 0];
  const nothing = async () => {
    if (!done++) first = seconds();
  };
  console.log("ready");
  await createInterface({ input: process.stdin }).question("");
  setInterval(() => {
    if (told !== done) console.log((told = done), first);
  }, TICK_MS);
  // The settings of its own page on performance.
  const worker = {
    connectionString,
    concurrentJobs: CONCURRENCY,
    maxPoolSize: CONCURRENCY + 1,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
  await (await run({ preset: { worker: { ...worker, logger } }, taskList: { nothing } })).promise;
}

const [verb, jobs, clients] = process.argv.slice(2).map((word, at) => (at ? Number(word) : word));
if (verb === "prepare") await connected(2, (utils) => prepare(utils, jobs));
if (verb === "enqueue") await connected(clients, (utils) => enqueue(utils, jobs, clients));
if (verb === "work") await work();
