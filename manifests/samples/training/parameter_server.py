# SPDX-License-Identifier: Apache-2.0
"""Asynchronous training with parameter servers. Each pod runs this file; TF_CONFIG tells it which part it plays:
the chief drives the training, workers compute, parameter servers hold the model, the evaluator watches its checkpoints.
"""

import os
import pathlib
import signal
import threading

# Keras 3 has no ParameterServerStrategy. Read when TensorFlow is imported.
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import sklearn.datasets
import tensorflow as tf
import tf_keras

OUTPUT = pathlib.Path(os.environ.get("OUTPUT", "output"))  # on storage that all pods share, another for each training
EPOCHS = int(os.environ.get("EPOCHS", "3"))
DONE = OUTPUT / "done"
BATCH = 64  # of each worker


def idle():
    """A pod of a StatefulSet that ends is started again, so a finished one waits until it is deleted."""
    print("training is done", flush=True)
    while True:
        signal.pause()


def load_data():
    """Handwritten digits, 8 by 8 pixels; put your data here. It has the form of MNIST, which fits as it is:
    `return tf_keras.datasets.mnist.load_data()`.
    """
    digits = sklearn.datasets.load_digits()
    images, labels = digits.images, digits.target
    return (images[:1500], labels[:1500]), (images[1500:], labels[1500:])


def make_dataset(images, labels):
    return tf.data.Dataset.from_tensor_slices(((images / images.max()).astype("float32"), labels))


def make_model(shape):
    model = tf_keras.Sequential(
        [
            tf_keras.layers.Input(shape=shape),
            tf_keras.layers.Flatten(),
            tf_keras.layers.Dense(128, activation="relu"),
            tf_keras.layers.Dense(10),
        ]
    )
    loss = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    return model


def serve(resolver):
    """A worker or a parameter server does what the chief says, for ever."""
    server = tf.distribute.Server(
        resolver.cluster_spec(),
        job_name=resolver.task_type,
        task_index=resolver.task_id,
        protocol=resolver.rpc_layer or "grpc",
    )
    # join() never looks at signals; waiting for a thread does.
    waiter = threading.Thread(target=server.join, daemon=True)
    waiter.start()
    waiter.join()


def evaluate():
    """Prints loss and accuracy of the checkpoints that it finds; it may skip some."""
    _, (images, labels) = load_data()
    model = make_model(images.shape[1:])
    data = make_dataset(images, labels).batch(BATCH)
    evaluator = tf_keras.utils.SidecarEvaluator(model, data, str(OUTPUT / "checkpoints"), max_evaluations=EPOCHS)
    evaluator.start()


def train(resolver):
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    (images, labels), _ = load_data()
    with strategy.scope():
        model = make_model(images.shape[1:])

    def for_a_worker(_context):
        """Each worker shuffles for itself."""
        return make_dataset(images, labels).shuffle(len(images)).repeat().batch(BATCH)

    callbacks = [
        # Where the chief or a parameter server dies, the chief goes on with the epoch that was interrupted.
        tf_keras.callbacks.BackupAndRestore(str(OUTPUT / "backup")),
        tf_keras.callbacks.ModelCheckpoint(str(OUTPUT / "checkpoints" / "epoch-{epoch}"), save_weights_only=True),
    ]
    data = tf_keras.utils.experimental.DatasetCreator(for_a_worker)
    model.fit(data, epochs=EPOCHS, steps_per_epoch=70, callbacks=callbacks, verbose=2)
    model.save(str(OUTPUT / "model"))
    DONE.touch()


def main():
    # The first process of a container is spared by SIGTERM unless it asks for it.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if DONE.exists():
        idle()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        serve(resolver)
    elif resolver.task_type == "evaluator":
        evaluate()
    else:
        train(resolver)
    idle()


if __name__ == "__main__":
    main()
