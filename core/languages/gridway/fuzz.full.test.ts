/** The long sweep: see fuzz.test.ts. */
import { fuzz, hundredThousand } from "@/core/fuzz-for-tests";
import { templates } from "./fuzz-texts-for-tests";

fuzz(templates, hundredThousand);
