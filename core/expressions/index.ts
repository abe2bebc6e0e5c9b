/**
 * The ClassAd expression language. Read text with `parseExpression`, turn it into code with `compile`, then
 * `evaluate` it against one or many hosts; `explain…` says why a host is refused or ranked as it is.
 */
export { type AdsRead, adFromData, readAd, readAds } from "./ads";
export type { Expr, RecordExpr } from "./ast";
export { walk } from "./ast";
export { checkExpression } from "./check";
export {
  type Compiled,
  compile,
  type EvaluationContext,
  evaluate,
  makeAd,
  matcher,
} from "./compile";
export { sameTree } from "./equal";
export {
  type Clause,
  explainRank,
  explainRequirement,
  failureText,
  type RankExplained,
  type RankTerm,
  type RequirementExplained,
  rankNumber,
} from "./explain";
export { builtInNames } from "./functions";
export { unresolvedNames } from "./functions/contexts";
export type { Dialect } from "./lex";
export { type Parsed, type ParseOptions, parseExpression, parseRecord, parseRecords } from "./parse";
export { type PrintStyle, printExpression, printName } from "./print";
export { translateGridadlRequirement } from "./translate/gridadl";
export { translateGridwayRank, translateGridwayRequirement } from "./translate/gridway";
export { translateLdapFilter } from "./translate/ldap";
export { type RealStyle, unparse } from "./unparse";
export {
  AbsTime,
  Ad,
  ERROR,
  ListValue,
  type NamedScope,
  numberOf,
  Real,
  RelTime,
  type Surroundings,
  typeOf,
  type Value,
} from "./value";
