/** Texts nobody would write: every language of expressions answers them, quickly, with a value or a problem that has a place. */
import { fuzz, someThousand } from "@/core/fuzz-for-tests";
import { languages } from "./fuzz-texts-for-tests";

for (const language of languages) fuzz(language, someThousand);
