import { readFileSync } from 'node:fs';
// The package's front door loads all generated API classes (megabytes); this module needs none of them.
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { errnoOf, isErrorLike, KubeError } from '../errors.ts';

export interface KubeConfigSource {
  /** Path of a kubeconfig file; unset: the service account of the pod. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Put before the service account's paths. Default ''. */
  readonly root?: string | undefined;
}

/**
 * Reads a kubeconfig file, or the service account mounted into the pod.
 * @throws KubeError `config` naming the file and what to do about it.
 */
export function loadKubeConfig(source: KubeConfigSource): KubeConfig {
  return source.kubeconfig === undefined ? fromPod(source.root ?? '') : fromFile(source.kubeconfig, source.context);
}

function fromFile(file: string, context: string | undefined): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromFile(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
  if (context !== undefined) config.setCurrentContext(context);
  checkContext(config, file);
  checkFiles(config, file);
  return config;
}

function unreadable(file: string, cause: unknown): KubeError {
  const code = errnoOf(cause);
  const details = { cause, fields: { file, detail: isErrorLike(cause) ? cause.message : String(cause) } };
  if (code === 'ENOENT') {
    const message = `kubeconfig ${file} does not exist: give the path of one file, or none when running in a pod`;
    return new KubeError('config', message, details);
  }
  if (code === 'EACCES' || code === 'EISDIR') {
    const message = `kubeconfig ${file} cannot be read: it must be a file that this user may read`;
    return new KubeError('config', message, details);
  }
  const message = `kubeconfig ${file} is not a valid kubeconfig: ${details.fields.detail}`;
  return new KubeError('config', message, details);
}

function checkContext(config: KubeConfig, file: string): void {
  // Typed as a string, and yet undefined when the file has no current-context.
  const name: string | undefined = config.getCurrentContext();
  if (name === undefined || name === '') {
    throw invalid(
      file,
      'it has no current-context: choose one with `kubectl config use-context NAME`',
      'current-context',
    );
  }
  const context = config.getContextObject(name);
  if (context === null) {
    const known = config.contexts.map((other) => other.name).join(', ');
    throw invalid(file, `it has no context "${name}"; it has: ${known || 'none'}`, 'contexts');
  }
  const cluster = config.getCluster(context.cluster);
  if (cluster === null)
    throw invalid(file, `context "${name}" names cluster "${context.cluster}", which it lacks`, 'clusters');
  if (config.getUser(context.user) === null) {
    throw invalid(file, `context "${name}" names user "${context.user}", which it lacks`, 'users');
  }
  if (!URL.canParse(cluster.server)) {
    throw invalid(file, `server "${cluster.server}" of cluster "${cluster.name}" is not a URL`, 'clusters.server');
  }
}

function checkFiles(config: KubeConfig, file: string): void {
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  const named = {
    'certificate-authority': cluster?.caFile,
    'client-certificate': user?.certFile,
    'client-key': user?.keyFile,
  };
  for (const [field, path] of Object.entries(named)) {
    // Null where the file says nothing, whatever the types say.
    if (path === undefined || path === null) continue;
    try {
      readFileSync(path);
    } catch (cause) {
      throw invalid(file, `its ${field} ${path} cannot be read`, field, cause);
    }
  }
}

// oxlint-disable-next-line max-params -- one private sentence builder, clearer flat
function invalid(file: string, problem: string, field: string, cause?: unknown): KubeError {
  return new KubeError('config', `kubeconfig ${file} cannot be used: ${problem}`, { cause, fields: { file, field } });
}

function fromPod(root: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromCluster(root);
  const cluster = config.getCurrentCluster();
  const tokenFile: unknown = config.getCurrentUser()?.authProvider?.config?.tokenFile;
  if (cluster === null || cluster.server.includes('undefined') || typeof tokenFile !== 'string') {
    const message =
      'no kubeconfig is given, and this is not a pod (KUBERNETES_SERVICE_HOST is unset): give the path of a kubeconfig';
    throw new KubeError('config', message, { fields: { field: 'kubeconfig' } });
  }
  try {
    readFileSync(tokenFile);
  } catch (cause) {
    const message = `the pod's service account token ${tokenFile} cannot be read: is automountServiceAccountToken off?`;
    throw new KubeError('config', message, { cause, fields: { file: tokenFile } });
  }
  return config;
}
