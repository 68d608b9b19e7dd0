/** Port: what has to be done about the work of dead nodes. Chat does it; it stops before this node signs off. */
export interface LeftWork {
  /** Takes up what dead nodes have left. `fresh`: the first time, at start. */
  takeOver(fresh: boolean): Promise<void>;
  /** This node had been taken for dead. */
  returned(): Promise<void>;
}
