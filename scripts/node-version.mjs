/** Gridloom needs Node 20.9; an older one should say so instead of failing somewhere inside a dependency. */
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 9)) {
  process.stderr.write(`Gridloom needs Node.js 20.9 or newer; this is ${process.version}.\n`);
  process.exit(1);
}
