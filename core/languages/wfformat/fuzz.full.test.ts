/** The long sweep: see fuzz.test.ts. */
import { fuzz, hundredThousand } from "@/core/fuzz-for-tests";
import { instances } from "./fuzz-texts-for-tests";

fuzz(instances, hundredThousand);
