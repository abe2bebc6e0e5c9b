/**
 * The gateway part: the one door agents, their files and their output come through.
 */
import { pino } from "pino";
import { parseEngineAddress } from "@/server/engine/engine-address";
import { openPool } from "@/server/journal/pool";
import { readPartConfig, reportReady, stopWithSupervisor } from "@/server/part-config";
import { Gateway } from "./gateway";

const config = readPartConfig();
const gateway = new Gateway({
  pool: openPool(config.databaseUrl),
  home: config.home,
  engine: parseEngineAddress(config.engineSocket),
  log: pino({ name: "gateway" }),
});
stopWithSupervisor(() => gateway.stop());
await gateway.listen(config.gatewayPort);
reportReady();
