// @ts-check
// What is wrong with the arguments that a user has given.

/** A value that is not what the schema says. */
export class Mistake extends Error {
    /**
     * @param {string[]} path the keys that lead to the value
     * @param {string} message
     */
    constructor(path, message) {
        super(message);
        this.path = path;
    }
}

/**
 * Does something with a part of a value, and says which part it is if that is wrong.
 * @template T
 * @param {string} key
 * @param {() => T} work
 * @returns {T}
 */
export function below(key, work) {
    try {
        return work();
    } catch (error) {
        if (error instanceof Mistake) {
            throw new Mistake([key, ...error.path], error.message);
        }
        throw error;
    }
}
