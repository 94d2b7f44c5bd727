// Made by `npm run generate` from the definition of Eip: change that instead.

/**
 * A static public address for a pod or a node. It is allocated, taken from a pool of tagged addresses, or given by its id; then it is put on the pod's or node's network interface, and follows when the pod or node is replaced.
 */
export interface EipFields {
  /**
   * Whose the address shall be, and which address.
   */
  spec: {
    /**
     * Name of a pod in the Eip's namespace: the form of v1, with the same meaning as selector.pod.podName. Works in both versions. The pod must have the label eip.materialize.cloud/manage.
     */
    podName?: string;
    /**
     * Whose the address shall be: either pod or node. May be changed: the address then moves.
     */
    selector?: {
      /**
       * A pod in the Eip's namespace, which must have the label eip.materialize.cloud/manage.
       */
      pod?: {
        /**
         * Name of the pod. The address waits for a pod of this name, and follows when it is created anew: meant for the pods of a StatefulSet.
         */
        podName?: string;
        /**
         * Labels of the pod; all of them must be there with these values. Of several such pods one has the address, and keeps it until it is gone, finished or no longer matches: meant for a Deployment.
         */
        labels?: {
          [k: string]: string;
        };
      };
      /**
       * A node, which must have the label eip.materialize.cloud/manage.
       */
      node?: {
        /**
         * Labels of the node; all of them must be there with these values. Of several such nodes a ready one has the address; when that fails or is gone, another gets it.
         */
        selector?: {
          [k: string]: string;
        };
      };
    };
    /**
     * Take a free address that has all of these tags instead of allocating one. Keys and values are taken literally. The address is never released, only taken off. If the tags change, so does the address.
     */
    staticIpTags?: {
      [k: string]: string;
    };
    /**
     * Use this address, such as eipalloc-0123456789abcdef0, instead of allocating one. It is never released, only taken off. Cannot be changed once it is set.
     */
    allocationId?: string;
    /**
     * Allocate from this pool of own addresses (BYOIP), such as ipv4pool-ec2-0123456789abcdef0. A later change does not concern an address that is already allocated.
     */
    publicIpv4Pool?: string;
    /**
     * Allocate in this network border group, such as us-west-2-lax-1 for a Local Zone; it must be that of the pod's or node's zone. Absent: the group of the region. A later change does not concern an address that is already allocated.
     */
    networkBorderGroup?: string;
    /**
     * What becomes of an allocated address when the Eip is deleted. Delete releases it, which is also what happens when nothing is said; Retain keeps it in the account, with its tags. An address that comes from staticIpTags or allocationId is never released.
     */
    reclaimPolicy?: 'Delete' | 'Retain';
  };
  /**
   * What the operator found and did. Nobody else writes here.
   */
  status?: {
    /**
     * Id of the address.
     */
    allocationId?: string | null;
    /**
     * The public address.
     */
    publicIpAddress?: string | null;
    /**
     * Id of the network interface that has the address. Set only after the cloud confirmed it.
     */
    eni?: string | null;
    /**
     * The private address of that interface which the public one is mapped to.
     */
    privateIpAddress?: string | null;
    /**
     * Name of the pod or node that has the address.
     */
    resourceId?: string | null;
    /**
     * Id of the tie between address and interface.
     */
    associationId?: string | null;
    /**
     * The metadata.generation that the conditions speak of.
     */
    observedGeneration?: number;
    /**
     * Ready: the address is on its pod or node, confirmed by the cloud; the reason says why it is not. EgressVerified: traffic from there was seen to carry the address. InternetRoute: only where it is False; the network of the pod or node does not lead to the internet.
     *
     * @maxItems 16
     *
     * Items: One observation.
     */
    conditions?: {
      /**
       * What is observed.
       */
      type: string;
      /**
       * Whether it is so.
       */
      status: 'True' | 'False' | 'Unknown';
      /**
       * One word for why; docs/operations.md lists them.
       */
      reason: string;
      /**
       * The same for a person, with names and numbers.
       */
      message: string;
      /**
       * When the status last changed.
       */
      lastTransitionTime: string;
      /**
       * The metadata.generation that this condition speaks of.
       */
      observedGeneration?: number;
    }[];
  } | null;
}
