/** The long sweep: see fuzz.test.ts. */
import { fuzz, hundredThousand } from "@/core/fuzz-for-tests";
import { languages } from "./fuzz-texts-for-tests";

for (const language of languages) fuzz(language, hundredThousand);
