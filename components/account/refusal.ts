/** Which field of the sign-up form a refusal of the server belongs beside. */
export type SignUpField = "name" | "email" | "password";

export function fieldOfRefusal(status: number | undefined, sentence: string): SignUpField {
  if (status === 409) return "email";
  if (/e-?mail/i.test(sentence) && !/password/i.test(sentence)) return "email";
  if (/\bname\b/i.test(sentence) && !/password/i.test(sentence)) return "name";
  return "password";
}
