/** The long sweep: see other-formats.test.ts. */
import { fuzz, hundredThousand } from "@/core/fuzz-for-tests";
import { otherFormats } from "./other-formats-fuzz-for-tests";

for (const format of otherFormats) fuzz(format, hundredThousand);
