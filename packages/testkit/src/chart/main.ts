import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedFiles } from './generated-files.ts';
import { inRepository } from './repository.ts';

// `npm run generate`: writes what follows from other files of the repository. The tests fail when it is out of date.
for (const { file, before, after } of await generatedFiles()) {
  if (before === after) continue;
  await writeFile(file, after);
  process.stdout.write(`wrote ${path.relative(inRepository(), file)}\n`);
}
