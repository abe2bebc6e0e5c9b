/** What an e-mail and a password must be like. The same rules run in the sign-up form and on the server. */
import { z } from "zod";

export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, "The e-mail address is too long.")
  .pipe(z.email("This does not look like an e-mail address."));

export const minPasswordLength = 10;

/** Passwords of ten characters and more that head the published lists of leaked ones. */
const commonPasswords = new Set([
  "1234567890",
  "0123456789",
  "0987654321",
  "12345678910",
  "123456789a",
  "1q2w3e4r5t",
  "1q2w3e4r5t6y",
  "1qaz2wsx3edc",
  "qwertyuiop",
  "qwerty12345",
  "qwerty123456",
  "asdfghjkl1",
  "abcdefghij",
  "abcd123456",
  "password12",
  "password123",
  "password1234",
  "passw0rd123",
  "iloveyou12",
  "iloveyou123",
  "letmein123",
  "welcome123",
  "administrator",
  "changeme123",
  "unbelievable",
  "basketball",
  "liverpool1",
  "manchester",
  "correcthorsebatterystaple",
  "gridloom123",
  "gridloomgridloom",
]);

/** A sentence that says what is wrong with the password, or nothing. */
export function passwordProblem(password: string, email: string): string | undefined {
  if ([...password].length < minPasswordLength) {
    return `The password is too short: it needs at least ${minPasswordLength} characters.`;
  }
  const folded = password.toLowerCase();
  if (folded === email.toLowerCase() || folded === email.toLowerCase().split("@")[0]) {
    return "The password must not be your e-mail address.";
  }
  if (new Set(folded).size < 4 || commonPasswords.has(folded)) {
    return "This password is among the first that anyone would try. Choose another one.";
  }
  return undefined;
}
