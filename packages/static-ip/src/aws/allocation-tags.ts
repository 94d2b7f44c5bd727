import { StaticIpError } from '../errors.ts';

const MAX_TAGS = 50;
/** The user guide says 128, the API's own type 127. */
const MAX_KEY = 127;
const MAX_VALUE = 256;

/**
 * Refuses tags that EC2 would refuse, before an address is allocated, naming every mistake. Lengths are in Unicode
 * characters. https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
 * @throws StaticIpError `invalid`
 */
export function assertTagsCanBeWritten(tags: Readonly<Record<string, string>>): void {
  const entries = Object.entries(tags);
  const mistakes = entries.flatMap(mistakesOf);
  if (entries.length > MAX_TAGS) mistakes.unshift(`${entries.length} tags, at most ${MAX_TAGS} are allowed`);
  if (mistakes.length > 0) throw new StaticIpError('invalid', `tags for a new address: ${mistakes.join('; ')}`);
}

function mistakesOf([key, value]: readonly [string, string]): string[] {
  const name = JSON.stringify(key);
  const mistakes: string[] = [];
  if (key === '') mistakes.push('an empty key');
  if (lengthOf(key) > MAX_KEY) mistakes.push(`${name} is longer than ${MAX_KEY} characters`);
  if (/^aws:/i.test(key)) mistakes.push(`${name} has the prefix that is reserved for AWS`);
  if (lengthOf(value) > MAX_VALUE) mistakes.push(`the value of ${name} is longer than ${MAX_VALUE} characters`);
  return mistakes;
}

/** In Unicode characters, not in UTF-16 units. */
function lengthOf(value: string): number {
  return Array.from(value).length;
}
