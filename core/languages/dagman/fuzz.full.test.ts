/** The long sweep: see fuzz.test.ts. */
import { fuzz, hundredThousand } from "@/core/fuzz-for-tests";
import { dags } from "./fuzz-texts-for-tests";

fuzz(dags, hundredThousand);
