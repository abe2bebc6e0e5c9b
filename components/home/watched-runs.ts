/** How many of the newest runs the home page follows. */
export const watchedRuns = 12;
